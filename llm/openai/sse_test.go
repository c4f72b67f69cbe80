package openai

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// readEvents returns all events of a stream as "name: data", and its error.
func readEvents(r io.Reader) (all []string, err error) {
	events := newEvents(r)
	for {
		e, err := events.next()
		if err != nil {
			return all, err
		}
		text := string(e.data)
		if e.name != "" {
			text = e.name + ": " + text
		}
		all = append(all, text)
	}
}

// LLM-E1: each form of a stream, fed whole and one byte at a time.
func TestEvents(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"plain", "data: a\n\ndata: b\n\n", []string{"a", "b"}},
		{"B021 CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}},
		{"B021 CRLF, several data lines", "data: a\r\ndata: b\r\n: c\r\ndata: d\r\n\r\n", []string{"a\nb\nd"}},
		{"bare CR", "data: a\r\rdata: b\r\r", []string{"a", "b"}},
		{"mixed ends", "data: a\r\n\ndata: b\n\r\ndata: c\r\n\r", []string{"a", "b", "c"}},
		{"B023 no space", "data:a\n\ndata:{\"x\":1}\n\n", []string{"a", `{"x":1}`}},
		{"B023 one space is stripped", "data:  a \n\n", []string{" a "}},
		{"B025 comments before, between and inside", ": hi\n\n:\n\ndata: a\n: more\ndata: b\n\n: OPENROUTER PROCESSING\n\ndata: c\n\n", []string{"a\nb", "c"}},
		{"B025 only comments", ": ping\n\n: ping\n\n", nil},
		{"B027 several data lines", "data: {\"x\":\ndata: 1}\n\n", []string{"{\"x\":\n1}"}},
		{"B029 no newline at the end", "data: a\n\ndata: b", []string{"a", "b"}},
		{"no blank line at the end", "data: a\n\ndata: b\n", []string{"a", "b"}},
		{"a bare CR at the end", "data: a\r", []string{"a"}},
		{"B019 a long line", "data: " + long + "\n\ndata: b\n\n", []string{long, "b"}},
		{"B026 many bytes a character", "data: né 你好 🌍\n\n", []string{"né 你好 🌍"}},
		{"a byte order mark", "\uFEFFdata: a\n\n", []string{"a"}},
		{"a byte order mark inside is data", "data: \uFEFFa\n\n", []string{"\uFEFFa"}},
		{"names", "event: error\ndata: a\n\ndata: b\n\n", []string{"error: a", "b"}},
		{"a name without data", "event: ping\n\ndata: b\n\n", []string{"b"}},
		{"other fields", "id: 7\nretry: 100\nfoo: bar\ndata: a\n\n", []string{"a"}},
		{"a field without a colon", "data\n\ndata: b\n\n", []string{"", "b"}},
		{"a raw object", "data: a\n\n{\"error\":\"x\"}\n", []string{"a", `{"error":"x"}`}},
		{"nothing", "", nil},
		{"blank lines", "\n\r\n\r\r", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, r := range []io.Reader{
				strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in)),
				iotest.HalfReader(strings.NewReader(c.in)), iotest.DataErrReader(strings.NewReader(c.in)),
			} {
				got, err := readEvents(r)
				require.ErrorIs(t, err, io.EOF)
				require.Equal(t, c.want, got)
			}
		})
	}
}

// An event is given as soon as its blank line has begun: the next byte may be
// long in coming. LLM-24
func TestEventsAreNotKeptBack(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\n\r\n", "\r\r"} {
		r, w := io.Pipe()
		go w.Write([]byte("data: a" + end))
		e, err := newEvents(r).next()
		require.NoError(t, err)
		require.Equal(t, "a", string(e.data))
		r.Close()
	}
}

// A stream that breaks gives the reader's own error, and no half event.
func TestEventsBroken(t *testing.T) {
	broken := errors.New("reset")
	got, err := readEvents(io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	require.Equal(t, []string{"a"}, got)
}

// An event, or a line, has at most 32 MiB.
func TestEventsTooLong(t *testing.T) {
	endless := iotest.DataErrReader(&repeated{text: []byte("x")})
	_, err := readEvents(io.MultiReader(strings.NewReader("data: "), endless))
	require.ErrorIs(t, err, errTooLong)

	_, err = readEvents(&repeated{text: []byte("data: " + strings.Repeat("x", 1<<20) + "\n")})
	require.ErrorIs(t, err, errTooLong)

	most := bytes.Repeat([]byte("x"), maxEvent)
	events := newEvents(io.MultiReader(strings.NewReader("data:"), bytes.NewReader(most), strings.NewReader("\n\n")))
	e, err := events.next()
	require.NoError(t, err)
	require.Len(t, e.data, maxEvent)
}

// repeated is a text without end.
type repeated struct {
	text []byte
	at   int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) {
		k := copy(p[n:], r.text[r.at:])
		n, r.at = n+k, (r.at+k)%len(r.text)
	}
	return n, nil
}
