package openai

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/triad-go/triad/llm"
)

// BenchmarkBody measures the body of a history of 1,000 messages of which all
// but the last two went out before, against the floor: making room and copying
// the 1,000 encoded messages. The two are timed in turn in the same run;
// "x-copy" is the ratio of their medians, and shall be at most 2.
func BenchmarkBody(b *testing.B) {
	for _, size := range []int{250, 700, 2000} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) { benchmarkBody(b, size) })
	}
}

var kept []byte // keeps what is built from being optimized away

func benchmarkBody(b *testing.B, size int) {
	history := turns(1000, size)
	var e encoder
	req := llm.Request{System: "You are careful.", Tools: look}
	req.Messages = history[:len(history)-2]
	if _, err := e.body("m", llm.Dialect{}, req, nil); err != nil {
		b.Fatal(err)
	}
	req.Messages = history
	wires := e.messages.encode(formOf(llm.Dialect{}), history, true)
	var build, copying []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		kept, _ = e.body("m", llm.Dialect{}, req, nil)
		middle := time.Now()
		kept = copied(wires)
		build = append(build, middle.Sub(start))
		copying = append(copying, time.Since(middle))
	}
	slices.Sort(build)
	slices.Sort(copying)
	body, floor := build[len(build)/2], copying[len(copying)/2]
	b.ReportMetric(float64(body)/float64(floor), "x-copy")
	b.ReportMetric(float64(body.Nanoseconds()), "ns/body")
	b.ReportMetric(float64(floor.Nanoseconds()), "ns/copy")
}

func copied(wires []*encoded) []byte {
	size := 0
	for _, w := range wires {
		size += len(w.wire)
	}
	out := make([]byte, 0, size)
	for _, w := range wires {
		out = append(out, w.wire...)
	}
	return out
}

// BenchmarkBodyUnseen is the same body by an encoder that has seen nothing of
// it: what each request would cost without the cache.
func BenchmarkBodyUnseen(b *testing.B) {
	req := llm.Request{Messages: turns(1000, 700)}
	b.ReportAllocs()
	for b.Loop() {
		var e encoder
		kept, _ = e.body("m", llm.Dialect{}, req, nil)
	}
}

// BenchmarkBodyStrict is a history that a strict receiver wants in another form
// each time: two neighboring user texts stand at its start.
func BenchmarkBodyStrict(b *testing.B) {
	var e encoder
	req := llm.Request{Messages: append([]llm.Message{llm.UserText("one"), llm.UserText("two")}, turns(1000, 700)...)}
	b.ReportAllocs()
	for b.Loop() {
		kept, _ = e.body("m", llm.Dialect{Strict: true}, req, nil)
	}
}
