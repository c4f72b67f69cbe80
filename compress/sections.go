package compress

import "strings"

// parse takes a summary apart into its sections. It is none if one is missing.
func (m *summarizer) parse(text string) (bodies []string, ok bool) {
	headings := m.texts().sections()
	found := make([]*strings.Builder, len(headings))
	current := -1
	for line := range strings.Lines(text) {
		if i := heading(line, headings, found); i >= 0 {
			current, found[i] = i, new(strings.Builder)
		} else if current >= 0 {
			found[current].WriteString(line)
		}
	}
	for _, b := range found {
		if b == nil {
			return nil, false
		}
		bodies = append(bodies, strings.TrimSpace(b.String()))
	}
	return bodies, true
}

// heading returns which of the headings that were not found yet a line is.
func heading(line string, headings []string, found []*strings.Builder) int {
	for i, h := range headings {
		if found[i] == nil && strings.EqualFold(plain(line), plain(h)) {
			return i
		}
	}
	return -1
}

// plain returns a heading without its marks, of which models are not sure.
func plain(s string) string { return strings.Trim(strings.TrimSpace(s), "#*_: \t") }

// bounded puts a summary together, in at most the tokens that it may have: a
// section that is longer than its share is cut.
func (m *summarizer) bounded(bodies []string) string {
	headings := m.texts().sections()
	whole := func() string {
		var b strings.Builder
		for i, h := range headings {
			if i > 0 {
				b.WriteString("\n\n")
			}
			b.WriteString(h + "\n" + bodies[i])
		}
		return b.String()
	}
	if text := whole(); m.text(text) <= m.size {
		return text
	}
	room := m.size - m.text(strings.Join(headings, "\n\n\n")) - len(headings)
	share := fair(bodies, max(0, room), m.text)
	for i, body := range bodies {
		bodies[i] = m.within(body, share, m.texts().SectionCut)
	}
	return whole()
}

// fair returns the share with which all together have what there is: those that
// need less leave the rest to the others.
func fair(bodies []string, room int, tokens func(string) int) int {
	share, left := room/len(bodies), len(bodies)
	for range bodies {
		rest, more := room, 0
		for _, b := range bodies {
			if n := tokens(b); n <= share {
				rest -= n
			} else {
				more++
			}
		}
		if more == 0 || more == left {
			break
		}
		share, left = rest/more, more
	}
	return share
}
