package llm_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
)

// LLM-37: one line of JSON an exchange, with version, dialect, request and its
// digest, and the chunks by kind.
func TestRecordLine(t *testing.T) {
	var file buffer
	s := scripted(says("Hello"))
	s.dialect = llm.Dialect{Name: "fake", Window: 9000}
	chunks, err := watch(t.Context(), &llm.Record{Client: s, To: &file}, hello())
	require.NoError(t, err)
	require.Equal(t, llm.Chunks{llm.TextDelta("Hello"), replying("Hello")}, chunks)

	request, err := json.Marshal(hello())
	require.NoError(t, err)
	sum := sha256.Sum256(request)
	require.Equal(t, `{"version":1,"dialect":{"name":"fake","window":9000},"digest":"`+hex.EncodeToString(sum[:])+`",`+
		`"request":{"messages":[{"role":"user","origin":"user","parts":[{"text":"hello"}]}]},`+
		`"chunks":[{"text_delta":"Hello"},{"reply":{"message":{"role":"assistant","origin":"model","parts":[{"text":"Hello"}]},`+
		`"finish":"stop","usage":{"input":10,"output":5},"model":"fake-1"}}]}`+"\n", string(file.data))
}

// conversation asks for three turns; each request holds the reply before.
func conversation(ctx context.Context, c llm.Client) (log []llm.Chunks, err error) {
	req := hello()
	req.Tools = []llm.Spec{{Name: "look", Schema: json.RawMessage(`{"type": "object"}`)}}
	for range 3 {
		chunks, err := watch(ctx, c, req)
		if err != nil {
			return log, err
		}
		log = append(log, chunks)
		reply := of[llm.Reply](chunks)[0].Message
		req.Messages = append(req.Messages, reply)
		if calls := reply.Calls(); calls != nil {
			req.Messages = append(req.Messages, llm.Results(llm.ToolResult{CallID: calls[0].ID, Name: "look", Text: "42"}))
		} else {
			req.Messages = append(req.Messages, llm.UserText("go on"))
		}
	}
	return log, nil
}

func threeTurns() *script {
	call := replying("")
	call.Message.Parts = llm.Parts{llm.Reasoning{Text: "hm"}, llm.ToolCall{ID: "c1", Name: "look", Arguments: `{"at":"<a>"}`}}
	call.Finish = llm.FinishCalls
	return scripted(
		says("one"),
		answer{chunks: []llm.Chunk{llm.ReasoningDelta("hm"), llm.CallDelta{Name: "look", Bytes: 12}, call}},
		answer{chunks: []llm.Chunk{
			llm.TextDelta("a"), llm.Restart{Attempt: 2, Cause: status(503)}, llm.RetryNotice{Attempt: 2, Cause: cut()}, replying("three"),
		}},
	)
}

func recorded(t *testing.T) []byte {
	t.Helper()
	var file buffer
	_, err := conversation(t.Context(), &llm.Record{Client: threeTurns(), To: &file})
	require.NoError(t, err)
	return file.data
}

// LLM-37: three turns, replayed, are what they were.
func TestRecordAndReplay(t *testing.T) {
	want, err := conversation(t.Context(), threeTurns())
	require.NoError(t, err)
	r, err := llm.ReadReplay(bytes.NewReader(recorded(t)))
	require.NoError(t, err)
	require.Equal(t, 3, r.Left())
	got, err := conversation(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Zero(t, r.Left())
}

// LLM-37: errors, cuts by the reader and the end of the context are exchanges too.
func TestRecordErrors(t *testing.T) {
	cause := errors.New("reset by peer")
	failing := cut()
	failing.Partial, failing.Err = "Hel", cause
	var file buffer
	c := &llm.Record{Client: scripted(fails(failing, llm.TextDelta("Hel")), says("abc"), fails(io.ErrUnexpectedEOF)), To: &file}
	_, err := watch(t.Context(), c, hello())
	require.Same(t, failing, err, "what the client says is passed on as it is")
	for range c.Stream(t.Context(), hello()) {
		break
	}
	_, err = watch(t.Context(), c, hello())
	require.Equal(t, io.ErrUnexpectedEOF, err)

	r, err := llm.ReadReplay(bytes.NewReader(file.data))
	require.NoError(t, err)
	chunks, err := watch(t.Context(), r, hello())
	require.Equal(t, llm.Chunks{llm.TextDelta("Hel")}, chunks)
	require.Equal(t, failing.Error(), err.Error())
	require.ErrorIs(t, err, llm.ErrIncomplete)
	require.Equal(t, "Hel", failure(t, err).Partial)
	chunks, err = watch(t.Context(), r, hello())
	require.Equal(t, "abc", text(chunks))
	require.ErrorIs(t, err, llm.ErrCanceled)
	require.ErrorContains(t, err, "the reader left")
	_, err = watch(t.Context(), r, hello())
	require.ErrorIs(t, err, llm.ErrConnection)
}

// keyed is a client that holds a key, as adapters do.
type keyed struct {
	*script
	Key string
}

// LLM-37: a recording holds no key.
func TestRecordHoldsNoKey(t *testing.T) {
	const key = "sk-secret-1234"
	var file buffer
	leak := fails(&url.Error{Op: "Post", URL: "http://127.0.0.1/v1?key=" + key, Err: io.EOF})
	c := &llm.Record{Client: keyed{scripted(says("Hello"), leak, fails(status(401))), key}, To: &file}
	for range 3 {
		_, _ = watch(t.Context(), c, hello())
	}
	require.Equal(t, 3, strings.Count(string(file.data), "\n"))
	require.NotContains(t, string(file.data), key)
}

// LLM-37: many may record at once; lines are whole, one Write each.
func TestRecordFromManyGoroutines(t *testing.T) {
	const n = 50
	s := slowly(n, 0)
	var file buffer
	c := &llm.Record{Client: s, To: &file}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			_, err := watch(t.Context(), c, llm.Request{MaxTokens: i, Messages: hello().Messages})
			require.NoError(t, err)
		})
	}
	all.Wait()
	r, err := llm.ReadReplay(bytes.NewReader(file.data))
	require.NoError(t, err)
	require.Equal(t, n, r.Left())
	for i := range n {
		all.Go(func() {
			_, err := watch(t.Context(), r, llm.Request{MaxTokens: i, Messages: hello().Messages})
			require.NoError(t, err)
		})
	}
	all.Wait()
	require.Zero(t, r.Left())
}

// full is a disk with no room after some bytes.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if len(p) <= f.room {
		f.room -= len(p)
		return len(p), nil
	}
	n := f.room
	f.room = 0
	return n, errors.New("no space left")
}

// An exchange that cannot be written fails, with what it cost; later ones are
// refused before they cost anything.
func TestRecordThatCannotBeWritten(t *testing.T) {
	for _, room := range []int{0, 10} {
		s := scripted(says("Hello"), says("x"))
		c := &llm.Record{Client: s, To: &full{room}}
		chunks, err := watch(t.Context(), c, hello())
		require.ErrorContains(t, err, "writing the exchange: no space left")
		require.Equal(t, llm.Usage{Input: 10, Output: 5}, failure(t, err).Usage)
		require.Equal(t, "Hello", failure(t, err).Partial)
		require.Empty(t, of[llm.Reply](chunks))
		_, err = watch(t.Context(), c, hello())
		require.ErrorIs(t, err, llm.ErrNotAllowed)
		require.Equal(t, 1, s.requests())
	}

	c := &llm.Record{Client: scripted(fails(status(503))), To: &full{}}
	_, err := watch(t.Context(), c, hello())
	require.ErrorIs(t, err, llm.ErrUnavailable)
	require.ErrorContains(t, err, "no space left")

	c = &llm.Record{Client: scripted(says("x")), To: short{}}
	_, err = watch(t.Context(), c, hello())
	require.ErrorIs(t, err, io.ErrShortWrite)
}

type short struct{}

func (short) Write(p []byte) (int, error) { return len(p) - 1, nil }

// What cannot be written down is refused at the door.
func TestRecordRefusesWhatIsNoJSON(t *testing.T) {
	nan := math.NaN()
	s := scripted(says("x"))
	for _, req := range []llm.Request{
		{Temperature: &nan},
		{Tools: []llm.Spec{{Name: "look", Schema: json.RawMessage(`{`)}}},
		{Messages: []llm.Message{{Parts: llm.Parts{nil}}}},
	} {
		_, err := watch(t.Context(), &llm.Record{Client: s, To: discard{}}, req)
		require.ErrorIs(t, err, llm.ErrBadRequest)
		_, err = watch(t.Context(), &llm.Replay{}, req)
		require.ErrorIs(t, err, llm.ErrBadRequest)
	}
	require.Zero(t, s.requests())
}
