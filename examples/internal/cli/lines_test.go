package cli

import (
	"bufio"
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
)

func TestLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which ends when the reader does
		o := &Options{lines: bufio.NewReader(strings.NewReader("one\n\n two \nthree"))}
		var got []string
		for line := range o.Lines(t.Context()) {
			got = append(got, line)
		}
		require.Equal(t, []string{"one", "two", "three"}, got)

		ctx, cancel := context.WithCancel(t.Context())
		o = &Options{lines: bufio.NewReader(strings.NewReader("one\ntwo\n"))}
		o.Lines(ctx)
		synctest.Wait()
		cancel() // and nobody has taken a line
	})
}

// With -json nothing but JSON is printed.
func TestOnlyJSON(t *testing.T) {
	var out bytes.Buffer
	o := &Options{JSON: true, show: printer{out: &out}}
	o.Note("a note")
	o.Ask(agent.Question{ID: "1.1", About: agent.AboutCall})
	require.Empty(t, out.String())
	o.Show(agent.Said{Text: "And?"})
	require.Equal(t, `{"type":"said","text":"And?"}`+"\n", out.String())
}
