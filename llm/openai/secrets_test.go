package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

const secret = `sk-proj-"secret"/+abc`

// everything returns all that an error says, down its chain and as JSON.
func everything(t *testing.T, err error) string {
	var b strings.Builder
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	encoded, encodeErr := json.Marshal(e)
	require.NoError(t, encodeErr)
	fmt.Fprintf(&b, "%s\n%v\n%+v\n%#v\n", encoded, err, err, *e)
	for ; err != nil; err = errors.Unwrap(err) {
		fmt.Fprintf(&b, "%v %+v %#v\n", err, err, err)
	}
	return b.String()
}

// requireNone wants no trace of the secret, however it is spelled.
func requireNone(t *testing.T, text string) {
	t.Helper()
	for _, form := range []string{secret, "sk-proj", url.QueryEscape(secret), fmt.Sprintf("%q", secret)} {
		require.NotContains(t, text, strings.Trim(form, `"`))
	}
}

// A provider that echoes the key, in every way that errors come, gets it into
// none of them: not whole, not at the edge of a cut, not with an address.
func TestKeyInNoError(t *testing.T) {
	echo, _ := json.Marshal("bad key " + secret)
	long, _ := json.Marshal(strings.Repeat("x", maxWords-8) + secret)
	for name, rt := range map[string]transport{
		"a status":           answering(401, http.Header{}, []byte(`{"error":{"message":`+string(echo)+`,"code":`+string(echo)+`,"param":`+string(echo)+`}}`), inPieces["whole"]),
		"a page":             answering(502, http.Header{}, []byte("<title>"+secret+"</title> key "+secret), inPieces["whole"]),
		"an escaped page":    answering(502, http.Header{}, []byte("GET /?key="+url.QueryEscape(secret)), inPieces["whole"]),
		"the edge of a cut":  answering(400, http.Header{}, []byte(`{"error":{"message":`+string(long)+`}}`), inPieces["whole"]),
		"a raw upstream":     answering(429, http.Header{}, []byte(`{"error":{"message":"Provider returned error","metadata":{"raw":`+string(echo)+`}}}`), inPieces["whole"]),
		"in the stream":      answering(200, http.Header{}, []byte("data: {\"error\":{\"message\":"+string(echo)+"}}\n\n"), inPieces["whole"]),
		"no JSON":            answering(200, http.Header{}, []byte("data: {"+secret+"}\n\n"), inPieces["whole"]),
		"no stream":          answering(200, http.Header{}, []byte("oops: "+secret+"\n\n"), inPieces["whole"]),
		"a broken answer":    answering(200, http.Header{}, []byte("{"+secret), inPieces["whole"]),
		"a label":            answering(200, http.Header{}, []byte("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"error"+url.QueryEscape(secret)+"\"}]}\n\n"), inPieces["whole"]),
		"the transport":      func(*http.Request) (*http.Response, error) { return nil, errors.New("dialing with " + secret) },
		"partial text":       answering(200, http.Header{}, []byte("data: {\"choices\":[{\"delta\":{\"content\":"+string(echo)+"}}]}\n\n"), inPieces["whole"]),
		"a body that breaks": answering(200, http.Header{}, nil, func(io.Reader) io.Reader { return failing{errors.New("read " + secret)} }),
	} {
		t.Run(name, func(t *testing.T) {
			c := stubbed(rt, llm.Dialect{Name: "test"})
			c.Key = secret
			_, err := llm.Generate(t.Context(), c, ask)
			requireNone(t, everything(t, err))
		})
	}
}

// Wherever a text is cut, it is not cut through the key.
func TestKeyAtTheEdge(t *testing.T) {
	for n := range 420 {
		pad := strings.Repeat("x", n)
		for _, body := range []string{"data: {" + pad + secret + "\n\n", pad + secret + "\n\n", "{" + pad + secret, "<p>" + pad + secret} {
			for _, status := range []int{200, 500} {
				c := stubbed(answering(status, http.Header{}, []byte(body), inPieces["whole"]), llm.Dialect{})
				c.Key = secret
				_, err := llm.Generate(t.Context(), c, ask)
				require.Error(t, err)
				require.NotContains(t, err.Error(), "sk-")
			}
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Keys that stand in the address or in a header of its own are secrets too.
func TestKeyInAddressAndHeader(t *testing.T) {
	refuse := transport(func(r *http.Request) (*http.Response, error) {
		return nil, errors.New("no route to " + r.URL.String() + " with " + r.Header.Get("X-Key"))
	})
	c := stubbed(refuse, llm.Dialect{})
	c.BaseURL = "http://user:" + url.PathEscape(secret) + "@provider.test/v1?key=" + url.QueryEscape(secret)
	c.Header = http.Header{"X-Key": {secret}}
	_, err := llm.Generate(t.Context(), c, ask)
	require.ErrorIs(t, err, llm.ErrConnection)
	requireNone(t, everything(t, err))
	requireNone(t, c.String())
}

// A client that is printed, logged or encoded does not show its key.
func TestKeyInNoPrint(t *testing.T) {
	c := &Client{Model: "m", BaseURL: "https://host.test/v1", Key: secret, Header: http.Header{"X-Key": {secret}}}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "client", c)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "client", c)
	encoded, err := json.Marshal(c)
	require.NoError(t, err)
	requireNone(t, fmt.Sprintf("%v %+v %#v %s %s", c, c, c, encoded, log.String()))
	require.Equal(t, "openai(m at host.test)", c.String())
}

// LLM-37: a recording holds no key either.
func TestKeyInNoRecording(t *testing.T) {
	c := stubbed(answering(200, http.Header{}, []byte(hello), inPieces["whole"]), llm.Dialect{Name: "test"})
	c.Key = secret
	var recording bytes.Buffer
	_, err := llm.Generate(t.Context(), &llm.Record{Client: c, To: &recording}, ask)
	require.NoError(t, err)
	require.NotEmpty(t, recording.String())
	requireNone(t, recording.String())
}
