package openai

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

const hello = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

// seen returns a transport that says hello and keeps the request.
func seen(last **http.Request) transport {
	return func(r *http.Request) (*http.Response, error) {
		*last = r
		return answering(200, http.Header{}, []byte(hello), inPieces["whole"])(r)
	}
}

// The client reads three variables of the environment, and no other goes out.
func TestNew(t *testing.T) {
	for name, v := range map[string]string{
		"OPENAI_API_KEY": " sk-key\n", "OPENAI_BASE_URL": "http://provider.test/v1/", "OPENAI_MODEL": "m-1",
		"OPENAI_ORG_ID": "org", "OPENAI_PROJECT_ID": "project", "OPENAI_CUSTOM_HEADERS": "X-Custom: 1", "OPENAI_ADMIN_KEY": "admin",
	} {
		t.Setenv(name, v)
	}
	require.Equal(t, "m-2", New("m-2").Model)
	c := New("")
	require.Equal(t, "m-1", c.Model)
	var sent *http.Request
	c.HTTP = &http.Client{Transport: seen(&sent)}
	require.Equal(t, "Hello", read(t, c, ask).text)
	require.Equal(t, "http://provider.test/v1/chat/completions", sent.URL.String())
	require.Equal(t, "Bearer sk-key", sent.Header.Get("Authorization"))
	require.Equal(t, "application/json", sent.Header.Get("Content-Type"))
	for _, name := range []string{"OpenAI-Organization", "OpenAI-Project", "X-Custom"} {
		require.Empty(t, sent.Header.Values(name))
	}
}

// Without a key the official API is not asked, and others get no header.
func TestKeys(t *testing.T) {
	os.Unsetenv("OPENAI_API_KEY")
	var sent *http.Request
	c := &Client{Model: "m", HTTP: &http.Client{Transport: seen(&sent)}}
	e := read(t, c, ask).err
	require.ErrorIs(t, e, llm.ErrAuth)
	require.Contains(t, e.Error(), "OPENAI_API_KEY")
	require.Nil(t, sent, "nothing was asked")

	c.BaseURL = "http://localhost:11434/v1"
	require.Equal(t, "Hello", read(t, c, ask).text)
	require.NotContains(t, sent.Header, "Authorization")
	require.NotContains(t, sent.Header, "Api-Key")

	c.Key = "sk-\nkey"
	require.ErrorIs(t, read(t, c, ask).err, llm.ErrAuth)
}

// Where requests go.
func TestEndpoints(t *testing.T) {
	for _, c := range []struct{ base, version, url, header string }{
		{"", "", "https://api.openai.com/v1/chat/completions", "Authorization"},
		{"https://api.deepseek.com", "", "https://api.deepseek.com/chat/completions", "Authorization"},
		{"https://host.test/api/v1/", "", "https://host.test/api/v1/chat/completions", "Authorization"},
		{"https://host.test/v1/chat/completions", "", "https://host.test/v1/chat/completions", "Authorization"},
		{"https://host.test/v1?tenant=a%20b", "", "https://host.test/v1/chat/completions?tenant=a+b", "Authorization"},
		{"https://r.openai.azure.com", "", "https://r.openai.azure.com/openai/v1/chat/completions", "Api-Key"},
		{"https://r.openai.azure.com/openai/v1", "", "https://r.openai.azure.com/openai/v1/chat/completions", "Api-Key"},
		{"https://r.openai.azure.com/openai/deployments/gpt", "", "https://r.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21", "Api-Key"},
		{"https://r.openai.azure.com/openai/deployments/gpt", "2025-01-01-preview", "https://r.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2025-01-01-preview", "Api-Key"},
		{"https://r.openai.azure.com/openai/deployments/gpt?api-version=2024-06-01", "2025-01-01-preview", "https://r.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-06-01", "Api-Key"},
		{"https://r.services.ai.azure.com/models?api-version=2024-05-01-preview", "", "https://r.services.ai.azure.com/models/chat/completions?api-version=2024-05-01-preview", "Api-Key"},
	} {
		t.Run(c.base, func(t *testing.T) {
			var sent *http.Request
			client := &Client{Model: "m", BaseURL: c.base, APIVersion: c.version, Key: "sk-key", HTTP: &http.Client{Transport: seen(&sent)}}
			require.Equal(t, "Hello", read(t, client, ask).text)
			require.Equal(t, c.url, sent.URL.String())
			for _, name := range []string{"Authorization", "Api-Key"} {
				require.Equal(t, name == c.header, sent.Header.Get(name) != "", name)
			}
		})
	}
}

// What is wrong with a client is said by its first request, clearly.
func TestBadClients(t *testing.T) {
	for _, c := range []struct {
		client *Client
		words  string
	}{
		{&Client{BaseURL: "http://h.test"}, "no model"},
		{&Client{Model: "m", BaseURL: "localhost:8080/v1"}, "base URL"},
		{&Client{Model: "m", BaseURL: "ftp://h.test/v1"}, "base URL"},
		{&Client{Model: "m", BaseURL: "http://%zz"}, "base URL"},
		{&Client{Model: "m", BaseURL: "http://h.test", Silence: -1}, "negative"},
		{&Client{Model: "m", BaseURL: "http://h.test", ConnectTimeout: -time.Second}, "negative"},
		{&Client{Model: "m", BaseURL: "http://h.test", Extra: map[string]any{"x": func() {}}}, "x"},
	} {
		e := read(t, c.client, ask).err
		require.ErrorIs(t, e, llm.ErrBadRequest)
		require.Contains(t, e.Error(), c.words)
	}
}

// Header and Extra override what the client would send.
func TestHeaderAndExtra(t *testing.T) {
	var got map[string]any
	var header http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		body, _ := io.ReadAll(r.Body)
		json.Unmarshal(body, &got)
		io.WriteString(w, hello)
	}))
	defer server.Close()
	c := &Client{
		Model: "m", BaseURL: server.URL, Key: "sk-key", HTTP: server.Client(),
		Header: http.Header{"Authorization": {"Custom x"}, "X-Title": {"triad"}},
		Extra:  map[string]any{"provider": map[string]any{"order": []string{"a"}}, "model": "other"},
	}
	require.Equal(t, "Hello", read(t, c, ask).text)
	require.Equal(t, []string{"Custom x"}, header.Values("Authorization"))
	require.Equal(t, "triad", header.Get("X-Title"))
	require.Equal(t, "other", got["model"])
	require.Equal(t, map[string]any{"order": []any{"a"}}, got["provider"])
	require.Equal(t, true, got["stream"])
}

// A redirect is not followed: it would carry the request and its key elsewhere,
// or turn it into a GET.
func TestRedirect(t *testing.T) {
	asked := 0
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, server.URL+"/elsewhere", http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	c := &Client{Model: "m", BaseURL: server.URL, HTTP: server.Client()}
	e := read(t, c, ask).err
	require.ErrorIs(t, e, llm.ErrBadRequest)
	require.Equal(t, 307, e.Status)
	require.Equal(t, 1, asked)
}

// LLM-13: the dialect follows from the base URL and the model, or is given.
func TestDialect(t *testing.T) {
	c := &Client{Model: "deepseek-chat", BaseURL: "https://api.deepseek.com"}
	require.Equal(t, DialectFor(c.BaseURL, c.Model), llm.DialectOf(c))
	c.Speaks = &llm.Dialect{Name: "mine"}
	require.Equal(t, "mine", llm.DialectOf(c).Name)
}

// LLM-E16: servers that are not known do not get what another of them sealed;
// errors name a provider only where it is known.
func TestUnknownServers(t *testing.T) {
	a, b := DialectFor("https://a.test/v1", "m"), DialectFor("https://b.test/v1", "m")
	require.NotEmpty(t, maker(a))
	require.NotEqual(t, maker(a), maker(b))
	require.Equal(t, maker(a), maker(DialectFor("https://A.test/v2", "other")))
	require.Equal(t, "openai", (&Client{Model: "m", BaseURL: "https://a.test"}).name())
	require.Equal(t, "deepseek", (&Client{Model: "m", BaseURL: "https://api.deepseek.com"}).name())
}

// LLM-13, LLM-27: the window of a model of which nothing is known is a guess,
// and a reply with more input than that is a reply.
func TestGuessedWindow(t *testing.T) {
	body := hello[:len(hello)-len("data: [DONE]\n\n")] + "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":300000,\"completion_tokens\":2}}\n\n"
	for _, base := range []string{"https://api.openai.com/v1", "https://r.openai.azure.com/openai/deployments/ours", "https://host.test/v1"} {
		c := &Client{Model: "some-new-model", BaseURL: base, Key: "sk-key", HTTP: &http.Client{Transport: answering(200, http.Header{}, []byte(body), inPieces["whole"])}}
		r := read(t, c, ask)
		require.Nil(t, r.err, base)
		require.Equal(t, 300_000, r.reply.Usage.Input)
		require.Equal(t, llm.DefaultWindow, c.Dialect().ContextWindow())
	}
}

// A connection is used again, though the reader leaves at the reply.
func TestConnectionIsReused(t *testing.T) {
	var made atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		say(w, "%s", hello)
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			made.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	c := &Client{Model: "m", BaseURL: server.URL, HTTP: server.Client()}
	const requests = 20
	for range requests {
		_, err := llm.Generate(t.Context(), c, ask)
		require.NoError(t, err)
	}
	require.Less(t, made.Load(), int32(requests/2))
}
