package compress

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/triad-go/triad/llm"
)

// A summarizer makes one summary.
type summarizer struct {
	*work
	client llm.Client
	size   int // of the summary, in tokens
	room   int // tokens that a request may tell, beside the instruction
	chars  int // of a segment
	result int // characters of a result
}

// summary returns a summary of what p does not keep.
func (w *work) summary(ctx context.Context, s *Summarize, p *past, size int) (string, error) {
	m := &summarizer{work: w, client: s.Client, size: size, chars: or(s.Segment, 60_000), result: or(s.Result, 2000)}
	if m.client == nil {
		m.client = w.view.Client
	}
	if m.client == nil {
		return "", errors.New("compress: there is no client to write a summary")
	}
	window := llm.DialectOf(m.client).ContextWindow()
	if s.own(w.view) {
		window = w.window
		if s.Cached && w.view.Overflow == nil {
			text, err := m.cached(ctx, p)
			if !errors.Is(err, errNoRoom) && !errors.Is(err, llm.ErrContextLength) {
				return text, err
			}
		}
	}
	m.room = int(float64(Capacity(window))/w.ratio) - w.text(m.instruction(p.old)) - w.text(p.slot) - 200
	if m.room < 100 {
		return "", errNoRoom
	}
	m.size = min(m.size, m.room/3)
	parts, err := m.parts(ctx, m.transcript(p), p)
	if err != nil || len(parts) == 1 {
		return strings.Join(parts, ""), err
	}
	return m.merge(ctx, parts, p)
}

var errNoRoom = errors.New("compress: the window leaves no room for the request for a summary")

// instruction says what to write. A summary of little is shorter than the most.
func (m *summarizer) instruction(old int) string {
	words := m.texts()
	most := min(m.size, max(200, old/4)) * 3 / 4
	return fill(words.Instruct, "sections", strings.Join(words.sections(), "\n"), "words", strconv.Itoa(most))
}

// cached asks with the conversation as the provider has seen it. Users'
// messages at its end, which it has not, are left out: they are kept anyway.
func (m *summarizer) cached(ctx context.Context, p *past) (string, error) {
	req := m.view.Request
	n := len(m.read)
	for n > 0 && m.read[n-1].Role == llm.User {
		n--
	}
	ask := m.texts().Cached + "\n\n" + m.instruction(p.old)
	req.Messages = append(m.read[:n:n], llm.UserText(ask))
	req.Choice, req.Format, req.Stop, req.MaxTokens = llm.ChoiceNone, nil, nil, 0
	raw := m.memory.fixed.tokens() + m.size
	for _, message := range req.Messages {
		raw += m.message(message)
	}
	if n == 0 || scaled(m.ratio, raw) > max(m.capacity, m.window-m.window/8) {
		return "", errNoRoom
	}
	return m.ask(ctx, req)
}

// parts summarizes each segment by itself. If one fails, all do.
func (m *summarizer) parts(ctx context.Context, segments []string, p *past) (all []string, err error) {
	for i, segment := range segments {
		lead := ""
		if p.slot != "" && i == 0 {
			lead = fill(m.texts().Earlier, "summary", strings.TrimSpace(p.slot)) + "\n\n"
		}
		parts, err := m.part(ctx, lead, segment, p.old, maxHalvings)
		if err != nil {
			return nil, err
		}
		all = append(all, parts...)
	}
	return all, nil
}

// part summarizes a segment, or its halves if it is too long for the client.
func (m *summarizer) part(ctx context.Context, lead, segment string, old, halvings int) ([]string, error) {
	text, err := m.ask(ctx, m.request(lead+m.texts().Transcript, segment, "\n\n"+m.instruction(old)))
	if err == nil {
		return []string{text}, nil
	}
	if !errors.Is(err, llm.ErrContextLength) || halvings == 0 || len(segment) < 2 {
		return nil, err
	}
	middle := runeStart(segment, len(segment)/2)
	if line := strings.LastIndexByte(segment[:middle], '\n'); line > len(segment)/4 {
		middle = line + 1
	}
	first, err := m.part(ctx, lead, segment[:middle], old, halvings-1)
	if err != nil {
		return nil, err
	}
	second, err := m.part(ctx, "", segment[middle:], old, halvings-1)
	return append(first, second...), err
}

// merge makes one summary of many, in as many rounds as the window asks for.
func (m *summarizer) merge(ctx context.Context, parts []string, p *past) (string, error) {
	for len(parts) > 1 {
		var merged []string
		for group := range m.groups(parts) {
			if len(group) == 1 {
				merged = append(merged, group[0])
				continue
			}
			ask := fill(m.texts().Merge, "parts", strings.Join(group, "\n\n---\n\n"))
			text, err := m.ask(ctx, m.request(ask, "\n\n"+m.instruction(p.old)))
			if err != nil {
				return "", err
			}
			merged = append(merged, text)
		}
		parts = merged
	}
	return parts[0], nil
}

// groups parts summaries into runs that fit into one request, two at least.
func (m *summarizer) groups(parts []string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		for len(parts) > 0 {
			n, sum := 0, 0
			for n < len(parts) && (n < 2 || sum+m.text(parts[n]) <= m.room) {
				sum += m.text(parts[n])
				n++
			}
			if !yield(slices.Clip(parts[:n])) {
				return
			}
			parts = parts[n:]
		}
	}
}

// request asks with these texts, one after the other. They are not joined: a
// segment is long.
func (m *summarizer) request(texts ...string) llm.Request {
	ask := llm.Message{Role: llm.User, Origin: llm.FromUser}
	for _, text := range texts {
		ask.Parts = append(ask.Parts, llm.Text(text))
	}
	return llm.Request{System: m.texts().Summarizer, Messages: []llm.Message{ask}}
}
