package openai

// An extent follows a text to the end of its first JSON value, piece by piece.
// It looks at brackets and quotes only, so it tells where a value ends and not
// whether it is one.
type extent struct {
	depth   int
	text    bool // within a string
	escaped bool
	begun   bool
	done    bool
}

// feed returns how many bytes of s belong to the value.
func (e *extent) feed(s string) int {
	for i := 0; i < len(s) && !e.done; i++ {
		if e.step(s[i]); e.done {
			return i + 1
		}
	}
	if e.done {
		return 0
	}
	return len(s)
}

func (e *extent) step(c byte) {
	switch {
	case e.escaped:
		e.escaped = false
	case e.text:
		e.escaped = c == '\\'
		e.text = c != '"'
		e.done = !e.text && e.depth == 0
	case !e.begun && blank(c):
	case c == '"' && (e.depth > 0 || !e.begun):
		e.begun, e.text = true, true
	case (c == '{' || c == '[') && (e.depth > 0 || !e.begun):
		e.begun = true
		e.depth++
	case (c == '}' || c == ']') && e.depth > 0:
		e.depth--
		e.done = e.depth == 0
	default:
		e.begun = true
	}
}
