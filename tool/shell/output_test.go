package shell

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What is kept is the same however the bytes arrive, and its memory is bounded.
func TestOutputKeepsHeadAndTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := &output{max: rapid.IntRange(1, 40).Draw(t, "max")}
		var all []byte
		for _, part := range rapid.SliceOf(rapid.SliceOf(rapid.Byte())).Draw(t, "parts") {
			n, err := o.Write(part)
			if n != len(part) || err != nil {
				t.Fatalf("wrote %d of %d: %v", n, len(part), err)
			}
			all = append(all, part...)
		}
		tail := append(bytes.Clone(o.tail[o.next:]), o.tail[:o.next]...)
		switch {
		case o.total != int64(len(all)):
			t.Fatalf("counted %d of %d", o.total, len(all))
		case len(o.head)+len(tail) > o.max:
			t.Fatalf("kept %d, more than %d", len(o.head)+len(tail), o.max)
		case len(all) <= o.max && !bytes.Equal(append(bytes.Clone(o.head), tail...), all):
			t.Fatalf("lost something that fits")
		case !bytes.HasPrefix(all, o.head) || !bytes.HasSuffix(all, tail):
			t.Fatalf("not head and tail: %q %q of %q", o.head, tail, all)
		case len(all) > o.max && len(o.head)+len(tail) != o.max:
			t.Fatalf("kept %d, less than %d", len(o.head)+len(tail), o.max)
		}
	})
}

// B236, TOOL-E21: a cut is between characters at every limit, the note says how
// many bytes are missing, and it counts toward the limit where it fits.
func TestOutputCutsBetweenCharacters(t *testing.T) {
	texts := Texts{LeftOut: "[{bytes}]"}.complete()
	for _, unit := range []string{"é", "🔬", "aé🔬"} {
		whole := strings.Repeat(unit, 50)
		for limit := 1; limit <= 20; limit++ {
			o := &output{max: limit}
			_, _ = o.Write([]byte(whole))
			text := o.text(texts)
			require.True(t, utf8.ValidString(text), "%q", text)
			require.NotContains(t, text, "\uFFFD")
			head, rest, _ := strings.Cut(text, "[")
			note, tail, found := strings.Cut(rest, "]")
			require.True(t, found)
			require.True(t, strings.HasPrefix(whole, head))
			require.True(t, strings.HasSuffix(whole, tail))
			require.Equal(t, note, strings.TrimSpace(note))
			require.Equal(t, fill("{n}", "{n}", len(whole)-len(head)-len(tail)), note)
			require.LessOrEqual(t, len(text), max(limit, len("["+note+"]")))
		}
	}
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte("plain text"), 4)
	f.Add([]byte("é🔬\xff\x80\x80\x80\x80\x80\x80\x80"), 7)
	f.Fuzz(func(t *testing.T, b []byte, limit int) {
		if limit < 1 || limit > 1000 {
			return
		}
		o := &output{max: limit}
		_, _ = o.Write(b)
		text := o.text(Texts{}.complete())
		if !utf8.ValidString(text) {
			t.Fatalf("not UTF-8: %q", text)
		}
	})
}
