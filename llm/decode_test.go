package llm_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
)

type step struct {
	ID    string   `json:"id"`
	After []string `json:"after,omitempty"`
}

type outline struct {
	Goal  string `json:"goal"`
	Steps []step `json:"steps"`
	Size  *int   `json:"size"`
	Notes string `json:"notes,omitempty"`
}

func (o outline) Validate() error {
	if len(o.Steps) == 0 {
		return errors.New("a plan needs at least one step")
	}
	return nil
}

func answering(text string) llm.Reply { return replying(text) }

// LLM-20: one value of the type, whole.
func TestDecode(t *testing.T) {
	three := 3
	got, err := llm.Decode[outline](answering(" {\"goal\":\"g\",\"steps\":[{\"id\":\"a\"},{\"id\":\"b\",\"after\":[\"a\"]}],\"size\":3,\"notes\":null}\n"))
	require.NoError(t, err)
	require.Equal(t, outline{Goal: "g", Steps: []step{{ID: "a"}, {ID: "b", After: []string{"a"}}}, Size: &three}, got)

	one, err := llm.Decode[int](answering("7"))
	require.NoError(t, err)
	require.Equal(t, 7, one)
	pointer, err := llm.Decode[*outline](answering(`{"goal":"g","steps":[{"id":"a"}],"size":null}`))
	require.NoError(t, err)
	require.Equal(t, "g", pointer.Goal)
	split := answering("")
	split.Message.Parts = llm.Parts{llm.Reasoning{Text: "{}"}, llm.Text(`{"id":`), llm.Text(`"a"}`)}
	whole, err := llm.Decode[step](split)
	require.NoError(t, err)
	require.Equal(t, step{ID: "a"}, whole)
}

// LLM-20: everything else is a typed error that names the place, with no value.
func TestDecodeRefuses(t *testing.T) {
	tests := []struct{ name, text, path, want string }{
		{"prose", "Here is the plan.", "", "the text is not one JSON value alone: invalid character 'H'"},
		{"nothing", "", "", "not one JSON value alone: unexpected end"},
		{"code fence", "```json\n{}\n```", "", "not one JSON value alone"},
		{"trailing text", `{"goal":"g","steps":[{"id":"a"}],"size":1} Done.`, "", "after top-level value"},
		{"two objects", `{"goal":"g","steps":[{"id":"a"}],"size":1}{}`, "", "after top-level value"},
		{"cut", `{"goal":"g","steps":[{"id":`, "", "unexpected end"},
		{"null", ` null `, "", "null is no value"},
		{"array", `[]`, "", "it is an array; want an object"},
		{"wrong type", `{"goal":7,"steps":[{"id":"a"}],"size":1}`, "goal", "it is a number; want a string"},
		{"deep", `{"goal":"g","steps":[{"id":"a"},{"id":["b"]}],"size":1}`, "steps[1].id", "it is an array; want a string"},
		{"number that is none", `{"goal":"g","steps":[{"id":"a"}],"size":1.5}`, "size", "it is a number 1.5, which int cannot hold"},
		{"null for a string", `{"goal":null,"steps":[{"id":"a"}],"size":1}`, "goal", "it is null; want a string"},
		{"null for an array", `{"goal":"g","steps":null,"size":1}`, "steps", "it is null; want an array"},
		{"null within", `{"goal":"g","steps":[null],"size":1}`, "steps[0]", "it is null; want an object"},
		{"missing", `{"goal":"g","steps":[{"id":"a"}]}`, "size", "missing"},
		{"empty", `{}`, "goal", "missing; steps: missing; size: missing"},
		{"unknown", `{"goal":"g","steps":[{"id":"a","afer":["b"]}],"size":1}`, "steps[0].afer", "unknown; the names are id, after"},
		{"another spelling", `{"GOAL":"g","steps":[{"id":"a"}],"size":1}`, "GOAL", "unknown; the names are goal, steps, size, notes; goal: missing"},
		{"repeated", `{"goal":"g","goal":"h","steps":[{"id":"a"}],"size":1}`, "goal", "repeated"},
		{"repeated in disguise", `{"goal":"g","go\u0061l":"h","steps":[{"id":"a"}],"size":1}`, "goal", "repeated"},
		{"repeated in capitals", `{"goal":"g","steps":[{"id":"a","ID":"b"}],"size":1}`, "steps[0].ID", "unknown"},
		{"Validate", `{"goal":"g","steps":[],"size":1}`, "", "a plan needs at least one step"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := llm.Decode[outline](answering(test.text))
			require.Zero(t, got)
			var e *llm.DecodeError
			require.ErrorAs(t, err, &e)
			require.Equal(t, test.path, e.Path)
			require.Equal(t, test.text, e.Text)
			require.ErrorContains(t, err, "llm: decoding reply: ")
			require.ErrorContains(t, e.Err, test.want)
			require.Contains(t, err.Error(), e.Fault())
		})
	}
}

// LLM-18, LLM-19, LLM-20: a reply that was cut or refused is no answer, even if
// its text happens to be one.
func TestDecodeRefusesRepliesThatAreNotWhole(t *testing.T) {
	for finish, want := range map[llm.FinishReason]string{
		llm.FinishLength: "cut by the output limit", llm.FinishRefused: "would not answer",
		llm.FinishError: "ended with", llm.FinishAborted: "ended with",
	} {
		reply := answering(`7`)
		reply.Finish = finish
		n, err := llm.Decode[int](reply)
		require.Zero(t, n)
		require.ErrorContains(t, err, want)
		require.Equal(t, finish == llm.FinishRefused, errors.Is(err, llm.ErrRefused))
	}
	for _, finish := range []llm.FinishReason{llm.FinishStop, llm.FinishCalls, ""} {
		reply := answering(`7`)
		reply.Finish = finish
		_, err := llm.Decode[int](reply)
		require.NoError(t, err)
	}
}

type level string

func (l *level) Validate() error {
	if *l != "low" && *l != "high" {
		return errors.New("want low or high")
	}
	return nil
}

// LLM-20: Validate counts whether T has it or *T.
func TestDecodeValidates(t *testing.T) {
	got, err := llm.Decode[level](answering(`"low"`))
	require.NoError(t, err)
	require.Equal(t, level("low"), got)
	_, err = llm.Decode[level](answering(`"middle"`))
	require.EqualError(t, err, "llm: decoding reply: want low or high")
}

type base struct {
	Kind string `json:"kind"`
	Note string `json:"note"`
}

type Stage struct {
	ID string `json:"id"`
}

type wide struct {
	base
	*Stage
	Note     *string        `json:"note"` // hides the one of base
	When     time.Time      `json:"when,omitzero"`
	Raw      any            `json:"raw,omitempty"`
	Data     []byte         `json:"data,omitempty"`
	Counts   map[string]int `json:"counts,omitempty"`
	Pair     [2]int         `json:"pair,omitzero"`
	Text     int            `json:"text,string,omitempty"`
	Number   json.Number    `json:"number,omitempty"`
	Hidden   string         `json:"-"`
	Untagged bool
	inner    string
}

// LLM-20: the rules of encoding/json for embedded, hidden and untagged fields,
// and for types that decode themselves.
func TestDecodeKnowsGoTypes(t *testing.T) {
	const need = `"kind":"k","id":"i","note":null,"Untagged":true`
	for name, rest := range map[string]string{
		"least": ``, "time": `,"when":"2026-11-30T12:00:00Z"`, "any": `,"raw":{"a":[1,null,{"b":2}]}`,
		"bytes": `,"data":"AP8="`, "map": `,"counts":{"a":1,"A":2}`, "array": `,"pair":[1,2]`,
		"in text": `,"text":"7"`, "number": `,"number":1e400`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := llm.Decode[wide](answering(`{` + need + rest + `}`))
			require.NoError(t, err)
			require.Equal(t, "k", got.Kind)
			require.Equal(t, "i", got.ID)
			require.Empty(t, got.inner)
		})
	}
	for rest, want := range map[string]string{
		`,"raw":{"a":{"b":1,"b":2}}`: "raw.a.b: repeated", `,"counts":{"a":1,"a":2}`: "counts.a: repeated",
		`,"counts":{"a":null}`: "counts.a: it is null; want a number", `,"pair":[1]`: "pair: it has 1 items; want 2",
		`,"Hidden":"x"`: "Hidden: unknown", `,"inner":"x"`: "inner: unknown", `,"data":[1]`: "data: it is an array; want a string",
		`,"when":"yesterday"`: "yesterday", `,"data":"!"`: "illegal base64", `,"text":"x"`: "invalid use of ,string",
	} {
		_, err := llm.Decode[wide](answering(`{` + need + rest + `}`))
		require.ErrorContains(t, err, want)
	}
}

// A text nested without end is refused and does not end the process.
func TestDecodeBoundsDepth(t *testing.T) {
	_, err := llm.Decode[any](answering(strings.Repeat("[", 5_000_000)))
	require.ErrorContains(t, err, "exceeded max depth")
	_, err = llm.Decode[any](answering(strings.Repeat("[", 9000) + strings.Repeat("]", 9000)))
	require.NoError(t, err)
}

// Of many faults the first ten are told, enough for one more try.
func TestDecodeTellsManyFaults(t *testing.T) {
	_, err := llm.Decode[[]int](answering("[" + strings.Repeat(`"x",`, 50) + `"x"]`))
	require.Equal(t, 10, strings.Count(err.Error(), "it is a string; want a number"))
	require.ErrorContains(t, err, "[9]: it is")
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"goal":"g","steps":[{"id":"a"}],"size":1}`, `{"goal":"g","steps":[],"size":null}`, `null`, `{"goal":"g","goal":1}`,
		`{"kind":"k","id":"i","note":null,"Untagged":true,"pair":[1,2],"counts":{"a":1}}`, `[1,"x",{}]`, "{} {}", `"\ud800"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if o, err := llm.Decode[outline](answering(text)); err == nil {
			require.NotEmpty(t, o.Steps)
			back, err := json.Marshal(o)
			require.NoError(t, err)
			again, err := llm.Decode[outline](answering(string(back)))
			require.NoError(t, err)
			require.Equal(t, o, again)
		} else {
			require.Zero(t, o)
			var e *llm.DecodeError
			require.ErrorAs(t, err, &e)
			require.NotEmpty(t, e.Fault())
		}
		_, err := llm.Decode[any](answering(text))
		require.True(t, err != nil || json.Valid([]byte(text)))
		_, _ = llm.Decode[wide](answering(text))
	})
}
