package compress

import (
	"bytes"
	"unsafe"

	"github.com/triad-go/triad/llm"
)

// A Memory is what compressors remember of one run, such as how much of its
// history has been counted. The zero Memory is ready. It is not stored: a run
// that is opened again begins with an empty one.
type Memory struct {
	dialect llm.Dialect // that the counts are for

	fixed  fixed
	counts []count // of the first messages
	looked int     // at so many messages for results that are too large
	aged   int     // the messages before this one are as [Age] wants them
	kept   int     // how many messages the last compaction left alone

	ratio    float64 // of reported to raw estimated tokens; 0 is not known
	void     int     // the Reported of another client, which says nothing of this one
	window   int     // learned from a refusal; 0 is none
	failures int     // summaries in a row that could not be made
}

// A count is of one message and all before it.
type count struct {
	parts *llm.Part // identifies the message, which is never changed once made
	size  int       // of its parts
	sum   int       // raw tokens
	free  int       // raw tokens that clearing all results would free
	last  int       // the last message with results; -1 if there is none
}

// fixed is what a request has beside its messages, with its raw tokens.
type fixed struct {
	system string
	tools  []llm.Spec
	format *llm.Format

	systemTokens, toolTokens int
	counted                  bool
}

func (f *fixed) tokens() int { return f.systemTokens + f.toolTokens }

func (f *fixed) sync(c counter, req llm.Request) {
	if f.counted && f.system == req.System && f.format == req.Format && sameTools(f.tools, req.Tools) {
		return
	}
	*f = fixed{
		system: req.System, tools: req.Tools, format: req.Format, counted: true,
		systemTokens: c.system(req.System), toolTokens: c.tools(req.Tools) + c.format(req.Format),
	}
}

// sameTools is quick where the texts are the same memory, as they are from turn to turn.
func sameTools(a, b []llm.Spec) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || a[i].Description != b[i].Description || !bytes.Equal(a[i].Schema, b[i].Schema) {
			return false
		}
	}
	return true
}

// is tells whether the count is of this message.
func (k count) is(m llm.Message) bool {
	return k.size == len(m.Parts) && k.parts == unsafe.SliceData(m.Parts)
}

// change voids what was counted, reported and learned for another client. The
// ratio stays: it is more often of the texts than of the tokenizer.
func (m *Memory) change(v View) {
	if m.dialect == v.Dialect {
		return
	}
	if m.fixed.counted {
		m.void = v.Reported
	}
	m.dialect, m.counts, m.looked, m.aged, m.fixed, m.window = v.Dialect, nil, 0, 0, fixed{}, 0
}

// sync brings the counts in line with the messages. What was counted is not
// counted again: the run only adds to its history, and what a compaction did
// not leave alone is found by looking where it began.
func (m *Memory) sync(c counter, req llm.Request, free func(llm.Message) int) {
	m.fixed.sync(c, req)
	if !m.stands(req.Messages) {
		n := 0
		for n < min(len(m.counts), len(req.Messages)) && m.counts[n].is(req.Messages[n]) {
			n++
		}
		m.counts = m.counts[:n]
		m.looked, m.aged = min(m.looked, n), min(m.aged, n)
	}
	for i := len(m.counts); i < len(req.Messages); i++ {
		k, message := m.at(i), req.Messages[i]
		k.parts, k.size = unsafe.SliceData(message.Parts), len(message.Parts)
		k.sum += c.message(message)
		if message.Role == llm.Tool {
			k.free, k.last = k.free+free(message), i
		}
		m.counts = append(m.counts, k)
	}
}

// at returns the count before message i.
func (m *Memory) at(i int) count {
	if i == 0 {
		return count{last: -1}
	}
	return m.counts[i-1]
}

// stands tells whether the messages that were counted are still the first of
// the history. It looks at a few: the first, where the last compaction began,
// and ever nearer to the end.
func (m *Memory) stands(messages []llm.Message) bool {
	n := len(m.counts)
	if n > len(messages) {
		return false
	}
	same := func(i int) bool { return i >= n || m.counts[i].is(messages[i]) }
	for back := 1; back <= n; back *= 2 {
		if !same(n - back) {
			return false
		}
	}
	return same(0) && same(m.kept)
}

// raw returns the estimate of the first n messages and all that is beside them.
func (m *Memory) raw(n int) int { return m.fixed.tokens() + m.at(n).sum }

// calibrated returns how many tokens the request has: what was reported for
// its beginning and the estimate of what came after, or else the estimate at
// the last ratio of the two. The ratio is always taken against the raw
// estimate, so it does not feed on itself.
func (m *Memory) calibrated(v View) int {
	n := len(v.Request.Messages)
	if v.Reported > 0 && v.Covers > 0 && v.Covers <= n && v.Reported != m.void {
		m.void = 0
		m.ratio = clamp(float64(v.Reported) / float64(m.raw(v.Covers)))
		return v.Reported + m.raw(n) - m.raw(v.Covers)
	}
	return scaled(or(m.ratio, 1), m.raw(n))
}

func scaled(ratio float64, raw int) int { return int(ratio*float64(raw) + 0.5) }
