package web_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// local may be reached by a test's Web; nothing else of this machine may.
var local = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

// serve starts a server on 127.0.0.1.
func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

// content answers with a body of a content type.
func content(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{contentType}
		_, _ = w.Write([]byte(body))
	}
}

// do runs a tool as a run does.
func do(t *testing.T, tl tool.Tool, arguments map[string]any) tool.Result {
	t.Helper()
	b, err := json.Marshal(arguments)
	require.NoError(t, err)
	e := tl.Do(t.Context(), tool.Call{Arguments: b})
	require.Nil(t, e.Late)
	require.Nil(t, e.Signal)
	return e.Result
}

// fetch fetches a page and takes the wrapping off, which must be there.
func fetch(t *testing.T, w web.Web, url string) (text string, outcome tool.Outcome) {
	t.Helper()
	r := do(t, w.Fetch(), map[string]any{"url": url})
	return unwrap(t, r.Text), r.Outcome
}

func unwrap(t *testing.T, text string) string {
	t.Helper()
	require.True(t, strings.HasPrefix(text, "<untrusted source="), text)
	require.True(t, strings.HasSuffix(text, "\n</untrusted>"), text)
	require.Equal(t, 1, strings.Count(text, "</untrusted>"), text)
	_, text, _ = strings.Cut(text, "\n\n")
	return strings.TrimSuffix(text, "\n</untrusted>")
}
