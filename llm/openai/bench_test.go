package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/triad-go/triad/llm"
)

// longStream returns a stream of n text deltas, in chunks such as the official
// API sends.
func longStream(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `data: {"id":"chatcmpl-DeUoyS6jFTF5UGjKNmTn2A3mzQzVx","object":"chat.completion.chunk","created":1774000000,"model":"gpt-4o-mini-2024-07-18","service_tier":"default","system_fingerprint":"fp_560af6e559","choices":[{"index":0,"delta":{"content":" word%d"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"aBcDeF"}`+"\n\n", i)
	}
	b.WriteString(bye)
	return b.Bytes()
}

func serve(b *testing.B, body []byte) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for rest := body; len(rest) > 0; { // as a server writes that flushes now and then
			n := min(len(rest), 8<<10)
			w.Write(rest[:n])
			rest = rest[n:]
		}
	}))
	b.Cleanup(server.Close)
	return server
}

// floor is a reader as short as can be: lines, and encoding/json into the
// smallest struct that holds the text.
func floor(url string, client *http.Client) int {
	res, err := client.Post(url+"/chat/completions", "application/json", strings.NewReader(`{}`))
	if err != nil {
		panic(err)
	}
	defer res.Body.Close()
	var text strings.Builder
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok || string(data) == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta        struct{ Content string }
				FinishReason string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal(data, &chunk); err != nil {
			panic(err)
		}
		text.WriteString(chunk.Choices[0].Delta.Content)
	}
	return text.Len()
}

func drain(b *testing.B, c *Client) (size int) {
	for chunk, err := range c.Stream(context.Background(), ask) {
		if err != nil {
			b.Fatal(err)
		}
		if reply, ok := chunk.(llm.Reply); ok {
			size = len(reply.Message.Text())
		}
	}
	return size
}

// measured returns what one run costs a chunk.
func measured(chunks int, run func()) (time.Duration, float64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	run()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return took / time.Duration(chunks), float64(after.Mallocs-before.Mallocs) / float64(chunks)
}

// BenchmarkStream reads 2,000 chunks over loopback, turn about with the floor
// in the same run. The target is at most 1.5 times the time and 2 times the
// allocations of the floor; what the server allocates is in both.
func BenchmarkStream(b *testing.B) {
	const chunks = 2000
	body := longStream(chunks)
	server := serve(b, body)
	c := &Client{Model: "m", BaseURL: server.URL, HTTP: server.Client()}
	if got, want := drain(b, c), floor(server.URL, server.Client()); got != want {
		b.Fatalf("%d bytes of text, and the floor has %d", got, want)
	}
	var ours, floors time.Duration
	var ourAllocs, floorAllocs float64
	for b.Loop() {
		d, n := measured(chunks, func() { floor(server.URL, server.Client()) })
		floors, floorAllocs = floors+d, floorAllocs+n
		d, n = measured(chunks, func() { drain(b, c) })
		ours, ourAllocs = ours+d, ourAllocs+n
	}
	b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N), "ns/chunk")
	b.ReportMetric(ourAllocs/float64(b.N), "allocs/chunk")
	b.ReportMetric(float64(floors.Nanoseconds())/float64(b.N), "floor-ns/chunk")
	b.ReportMetric(floorAllocs/float64(b.N), "floor-allocs/chunk")
	b.ReportMetric(float64(ours)/float64(floors), "x-time")
	b.ReportMetric(ourAllocs/floorAllocs, "x-allocs")
}

// BenchmarkStreamOfSDK reads the same with the decoder that is not used.
func BenchmarkStreamOfSDK(b *testing.B) {
	const chunks = 2000
	server := serve(b, longStream(chunks))
	service := openai.NewChatCompletionService(option.WithBaseURL(server.URL), option.WithAPIKey("sk-test"), option.WithHTTPClient(server.Client()))
	var total time.Duration
	var allocs float64
	for b.Loop() {
		d, n := measured(chunks, func() {
			stream := service.NewStreaming(context.Background(), openai.ChatCompletionNewParams{Model: "m"})
			for stream.Next() {
				_ = stream.Current().Choices
			}
			stream.Close()
		})
		total, allocs = total+d, allocs+n
	}
	b.ReportMetric(float64(total.Nanoseconds())/float64(b.N), "ns/chunk")
	b.ReportMetric(allocs/float64(b.N), "allocs/chunk")
}

// BenchmarkLongStream compares a delta of a long stream with one of a short
// stream, in the process. The target is that they cost the same.
func BenchmarkLongStream(b *testing.B) {
	const short, long = 200, 20_000
	read := func(n int) func() {
		c := stubbed(answering(200, http.Header{}, longStream(n), inPieces["whole"]), llm.Dialect{Name: "test"})
		return func() {
			for range long / n {
				drain(b, c)
			}
		}
	}
	shorts, longs := read(short), read(long)
	var few, many time.Duration
	for b.Loop() {
		d, _ := measured(long, shorts)
		few += d
		d, _ = measured(long, longs)
		many += d
	}
	b.ReportMetric(float64(few.Nanoseconds())/float64(b.N), "short-ns/delta")
	b.ReportMetric(float64(many.Nanoseconds())/float64(b.N), "long-ns/delta")
	b.ReportMetric(float64(many)/float64(few), "x-time")
}
