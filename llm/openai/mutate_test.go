package openai

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

// requireSound reads a body and wants a typed error, or the reply that the
// naive reader gives.
func requireSound(t testing.TB, body []byte) {
	t.Helper()
	c := stubbed(answering(200, http.Header{}, body, inPieces["whole"]), llm.Dialect{Name: "test"})
	reply, err := llm.Generate(context.Background(), c, ask)
	if err != nil {
		var e *llm.Error
		require.ErrorAs(t, err, &e)
		require.NotEmpty(t, e.Kind)
		require.NotEqual(t, llm.ErrUnknown, e.Kind)
		require.NotEqual(t, llm.ErrNoReply, e.Kind)
		return
	}
	naive := naiveRead(string(body))
	require.Empty(t, naive.fault, "a reply was made of this:\n%s", body)
	require.Equal(t, naive.told(), toldReply(reply), "of this:\n%s", body)
}

func (r naiveReply) told() string {
	return tell(r.text, r.reasoning, r.calls, r.label, r.refused, r.usage)
}

func toldReply(r llm.Reply) string {
	usage := r.Usage
	if usage.Estimated {
		usage = llm.Usage{}
	}
	refused := r.Finish == llm.FinishRefused && (r.Label == "" || finishOf(r.Label) != llm.FinishRefused)
	return tell(r.Message.Text(), r.Message.Reasoning(), r.Message.Calls(), r.Label, refused, usage)
}

// tell leaves out the ids that were made up.
func tell(text, reasoning string, calls []llm.ToolCall, label string, refused bool, usage llm.Usage) string {
	s := fmt.Sprintf("%q %q %s %v %v", text, reasoning, label, refused && finishOf(label) != llm.FinishRefused, usage)
	taken := map[string]bool{"": true}
	for i, c := range calls {
		if taken[c.ID] || c.ID == fmt.Sprintf("new-%d", i+1) || len(c.ID) > 4 && c.ID[:4] == "new-" {
			c.ID = "made up"
		}
		taken[c.ID] = true
		s += fmt.Sprintf("\n%s %s %s", c.ID, c.Name, canonical(c.Arguments))
	}
	return s
}

// mutate does to a body what a fault of one byte does.
func mutate(body []byte, kind uint8, at int, bit uint8) []byte {
	if len(body) == 0 {
		return body
	}
	at %= len(body)
	out := append([]byte{}, body[:at]...)
	switch kind % 4 {
	case 0: // flipped
		out = append(append(out, body[at]^(1<<(bit%8))), body[at+1:]...)
	case 1: // dropped
		out = append(out, body[at+1:]...)
	case 2: // doubled
		out = append(append(out, body[at], body[at]), body[at+1:]...)
	}
	return out // cut
}

// bodies are the streams that mutations start from: the fixtures, and the
// recordings where there are some.
func bodies(t testing.TB, recorded []transcript) (all [][]byte) {
	for _, f := range fixtures(t) {
		if f.status == 200 {
			all = append(all, []byte(f.body.String()))
		}
	}
	for _, one := range recorded {
		for _, e := range one.Exchanges {
			if e.Response.Status == 200 && len(e.Response.Body) < 64<<10 {
				all = append(all, []byte(e.Response.Body))
			}
		}
	}
	return all
}

// The naive reader agrees about all that is not mutated.
func TestNaiveReaderAgrees(t *testing.T) {
	for _, body := range bodies(t, nil) {
		requireSound(t, body)
	}
}

// One byte flipped, dropped or doubled, or the stream cut: a typed error, or
// what a naive reading of the same bytes gives. FuzzStream goes on from here.
func TestOneByteWrong(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for _, body := range bodies(t, nil) {
		for kind := range uint8(4) {
			for range min(len(body), 20) {
				requireSound(t, mutate(body, kind, random.IntN(len(body)), uint8(random.IntN(8))))
			}
		}
	}
}

// The same of the recordings.
func TestOneByteWrongInTranscripts(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	for _, body := range bodies(t, transcripts(t)) {
		requireSound(t, body)
		for kind := range uint8(4) {
			for range min(len(body), 2) { // one recorded body is empty
				requireSound(t, mutate(body, kind, random.IntN(len(body)), uint8(random.IntN(8))))
			}
		}
	}
}

// FuzzStream holds arbitrary streams to it, from whole ones with one byte wrong.
func FuzzStream(f *testing.F) {
	var recorded []transcript
	if os.Getenv("TRIAD_TRANSCRIPTS") != "" {
		recorded = transcripts(f)
	}
	for _, body := range bodies(f, recorded) {
		f.Add(body, uint8(0), uint16(len(body)/2), uint8(1))
		f.Add(body, uint8(3), uint16(len(body)*3/4), uint8(0))
	}
	f.Fuzz(func(t *testing.T, body []byte, kind uint8, at uint16, bit uint8) {
		requireSound(t, body)
		requireSound(t, mutate(body, kind, int(at), bit))
	})
}
