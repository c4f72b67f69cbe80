package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

// A fixture is an answer of a server and what is to be read in it. The files
// under testdata/read hold several each: NAME.in and NAME.want. In .in a line is
//
//	delta JSON        a chunk whose first choice has this delta
//	end LABEL         a chunk with this finish label
//	usage IN OUT      a chunk without choices, with usage
//	chunk JSON        a chunk
//	done              the done marker
//	raw "TEXT"        these bytes, quoted as in Go
//	body TEXT         likewise, as they stand
//	status N          of HTTP, if not 200
//	header NAME: VALUE
//	dialect JSON      of the client
//	tools NAME …      of the request
//
// and .want is a dump of the reading. It may leave out the lines for usage and
// model; its "words" are looked for in the error's.
type fixture struct {
	name    string
	status  int
	header  http.Header
	body    strings.Builder
	dialect llm.Dialect
	req     llm.Request
	want    string
}

func fixtures(t testing.TB) (all []*fixture) {
	t.Helper()
	files, err := filepath.Glob("testdata/read/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		require.Zero(t, len(archive.Files)%2, "%s: every .in has its .want", file)
		for i := 0; i < len(archive.Files); i += 2 {
			in, want := archive.Files[i], archive.Files[i+1]
			name := strings.TrimSuffix(in.Name, ".in")
			require.Equal(t, name+".want", want.Name, file)
			f := &fixture{name: name, status: 200, header: http.Header{}, dialect: llm.Dialect{Name: "test"}, want: string(want.Data)}
			f.req.Messages = []llm.Message{llm.UserText("Well?")}
			for line := range strings.Lines(string(in.Data)) {
				if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
					require.NoError(t, f.take(line), "%s: %s: %s", file, name, line)
				}
			}
			all = append(all, f)
		}
	}
	return all
}

func (f *fixture) take(line string) (err error) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "delta":
		fmt.Fprintf(&f.body, "data: {\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":null}]}\n\n", rest)
	case "end":
		fmt.Fprintf(&f.body, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\n", rest)
	case "usage":
		var in, out int
		_, err = fmt.Sscan(rest, &in, &out)
		fmt.Fprintf(&f.body, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d}}\n\n", in, out)
	case "chunk":
		fmt.Fprintf(&f.body, "data: %s\n\n", rest)
	case "done":
		f.body.WriteString("data: [DONE]\n\n")
	case "raw":
		var text string
		text, err = strconv.Unquote(rest)
		f.body.WriteString(text)
	case "body":
		f.body.WriteString(rest)
	case "status":
		f.status, err = strconv.Atoi(rest)
	case "header":
		name, value, _ := strings.Cut(rest, ": ")
		f.header.Set(name, value)
	case "dialect":
		err = json.Unmarshal([]byte(rest), &f.dialect)
	case "tools":
		for _, name := range strings.Fields(rest) {
			f.req.Tools = append(f.req.Tools, llm.Spec{Name: name})
		}
	default:
		err = fmt.Errorf("unknown word %q", word)
	}
	return err
}

// check compares a dump with what is wanted.
func (f *fixture) check(t testing.TB, got string) {
	t.Helper()
	var lines []string
	for line := range strings.Lines(got) {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "usage", "model":
			if !strings.Contains("\n"+f.want, "\n"+word+" ") {
				continue
			}
		case "words":
			_, words, _ := strings.Cut("\n"+f.want, "\nwords ")
			require.NotEmpty(t, strings.TrimSpace(words), "an error is told in the provider's words")
			require.Contains(t, rest, strings.TrimSpace(words))
			line = "words " + words
		}
		lines = append(lines, line)
	}
	require.Equal(t, f.want, strings.Join(lines, ""))
}

// Each fixture, whole and in pieces. The names carry the ids of what is proved.
func TestFixtures(t *testing.T) {
	for _, f := range fixtures(t) {
		for way, pieces := range inPieces {
			t.Run(f.name+"/"+way, func(t *testing.T) {
				c := stubbed(answering(f.status, f.header, []byte(f.body.String()), pieces), f.dialect)
				f.check(t, read(t, c, f.req).dump())
			})
		}
	}
}
