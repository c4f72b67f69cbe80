package agent_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm"
)

// GEN-01, GEN-02: the state is the fold of its facts, through JSON too; of two
// states that grow from one, neither sees the other; and the same loop and
// state always give the same step.
func TestForks(t *testing.T) {
	l := family(&world{})
	run, err := l.Open(t.Context(), agent.Scope{Journal: memory(), ID: "run"}, "go")
	require.NoError(t, err)
	require.NoError(t, agent.Drain(t.Context(), run, func(agent.Question) (agent.Answer, bool) { return agent.Approve(), true }))
	log, err := run.Log(t.Context())
	require.NoError(t, err)
	same := func(t require.TestingT, a, b agent.State) {
		require.Equal(t, a.Result(), b.Result())
		require.Equal(t, l.History(a), l.History(b))
		require.Equal(t, l.Next(a), l.Next(b))
		require.Equal(t, l.Next(a), l.Next(a))
	}
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, len(log)-1).Draw(t, "k")
		root := agent.Fold(log[:k]...)
		one, other := root.WithEntries(log[k:]...), root.With(
			agent.Said{Text: "something else"},
			agent.Noted{Message: llm.UserText("note")},
			agent.StopAsked{Why: "enough"},
		)
		step := l.Next(other)
		more := one.With(agent.Said{Text: "again"})
		same(t, one, agent.Fold(log...))
		same(t, root, agent.Fold(log[:k]...))
		require.Equal(t, step, l.Next(other))
		require.NotEqual(t, l.History(more), l.History(one))
		data, err := json.Marshal(log[:k])
		require.NoError(t, err)
		var stored agent.Log
		require.NoError(t, json.Unmarshal(data, &stored))
		same(t, agent.Fold(stored...), root)
	})
}

// FuzzLog holds arbitrary JSON of logs to this: it is an error, or a log that
// folds and whose loop can say what is next, and never a panic. SES-E98: an
// unknown format is a typed error.
func FuzzLog(f *testing.F) {
	f.Add([]byte(`{"format":1,"entries":[{"at":"2026-01-02T03:04:05Z","kind":"said","fact":{"text":"go","prompt":true}}]}`))
	f.Add([]byte(`{"format":1,"entries":[{"kind":"replied","fact":{"reply":{"message":{"role":"assistant","parts":[{"call":{"id":"k","name":"look","arguments":"{}"}}]}},"checks":[{}]}},{"kind":"call_started","fact":{"call":"1.1"}},{"kind":"call_ended","fact":{"call":"1.1","result":{"text":"x"}}}]}`))
	f.Add([]byte(`{"format":2}`))
	f.Add([]byte(`{"format":1,"entries":[{"kind":"compacted","fact":{"changed":true,"keep":9}},{"kind":"overflowed","fact":{}}]}`))
	l := family(&world{})
	f.Fuzz(func(t *testing.T, data []byte) {
		var log agent.Log
		if err := json.Unmarshal(data, &log); err != nil {
			return
		}
		s := agent.Fold(log...)
		l.Next(s)
		s.Result()
		l.History(s)
	})
}

// SES-E98: a log of another format, or with a fact that nobody knows, is a typed error.
func TestUnknownLogs(t *testing.T) {
	var log agent.Log
	var format *agent.FormatError
	require.ErrorAs(t, json.Unmarshal([]byte(`{"format":7,"entries":[]}`), &log), &format)
	require.Equal(t, 7, format.Format)
	var kind *agent.UnknownKindError
	require.ErrorAs(t, json.Unmarshal([]byte(`{"format":1,"entries":[{"kind":"dreamt","fact":{}}]}`), &log), &kind)
	require.Equal(t, "dreamt", kind.Kind)
}
