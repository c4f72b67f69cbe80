package llm_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"github.com/triad-go/triad/llm"
)

func BenchmarkMessageText(b *testing.B) {
	m := llm.Message{Parts: llm.Parts{llm.Reasoning{Text: "hm"}, llm.Text(strings.Repeat("x", 1000)), llm.ToolCall{ID: "1"}}}
	b.ReportAllocs()
	for b.Loop() {
		if m.Text() == "" {
			b.Fatal("no text")
		}
	}
}

// The floor of encoding a message is encoding/json with the same text.
func BenchmarkMessageJSON(b *testing.B) {
	words := strings.Repeat("some text of a model, ", 50)
	m := llm.Message{Role: llm.Assistant, Origin: llm.FromModel, Parts: llm.Parts{llm.Text(words), llm.ToolCall{ID: "1", Name: "look", Arguments: `{"at":1}`}}}
	data, err := json.Marshal(m)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("floor", func(b *testing.B) {
		flat := map[string]string{"text": words}
		for b.Loop() {
			_, _ = json.Marshal(flat)
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = json.Marshal(m)
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var back llm.Message
			_ = json.Unmarshal(data, &back)
		}
	})
}

// What wrappers cost a stream of 1,000 deltas. The floor is the bare client.
func BenchmarkWrappers(b *testing.B) {
	const deltas = 1000
	bare := llm.ClientFunc(func(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
		return func(yield func(llm.Chunk, error) bool) {
			for range deltas {
				if !yield(llm.TextDelta("word "), nil) {
					return
				}
			}
			yield(replying("done"), nil)
		}
	})
	for _, test := range []struct {
		name   string
		client llm.Client
	}{
		{"bare", bare},
		{"limit", &llm.Limit{Client: bare, AtOnce: 4}},
		{"retry", &llm.Retry{Client: bare}},
		{"fallback", &llm.Fallback{Clients: []llm.Named{{Client: bare}}}},
		{"all three", &llm.Fallback{Clients: []llm.Named{{Client: &llm.Retry{Client: &llm.Limit{Client: bare, AtOnce: 4}}}}}},
		{"record", &llm.Record{Client: bare, To: discard{}}},
	} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for _, err := range test.client.Stream(b.Context(), hello()) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				if n != deltas+1 {
					b.Fatal(n)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/deltas, "ns/delta")
		})
	}
}

// The floor of a strict decode is encoding/json's.
func BenchmarkDecode(b *testing.B) {
	var steps []string
	for range 50 {
		steps = append(steps, `{"id":"step","after":["a","b"]}`)
	}
	text := `{"goal":"g","steps":[` + strings.Join(steps, ",") + `],"size":1}`
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			var o outline
			_ = json.Unmarshal([]byte(text), &o)
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			if _, err := llm.Decode[outline](answering(text)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkClean(b *testing.B) {
	text := strings.Repeat("clean größer ", 1000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		_ = llm.Clean(text)
	}
}
