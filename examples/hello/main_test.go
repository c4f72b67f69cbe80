package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/examples/internal/cli"
)

// EX-01: offline, on the demo client.
func TestHello(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	var out, errs bytes.Buffer
	require.Equal(t, 0, cli.Run(t.Context(), hello, []string{"hello", "What is a DAG?"}, os.Stdin, &out, &errs))
	require.True(t, strings.HasPrefix(out.String(), "A DAG is a directed acyclic graph: "), out.String())
	require.Empty(t, errs.String())
}

// EX-01: with an endpoint named, that endpoint is asked.
func TestHelloAsksTheEndpoint(t *testing.T) {
	var path, key string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, key = r.URL.Path, r.Header.Get("Authorization")
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"A graph.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"))
	}))
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", "k")
	t.Setenv("OPENAI_BASE_URL", server.URL+"/v1")
	var out, errs bytes.Buffer
	require.Equal(t, 0, cli.Run(t.Context(), hello, []string{"hello", "-model", "m", "What is a DAG?"}, os.Stdin, &out, &errs), errs.String())
	require.Equal(t, "A graph.\n", out.String())
	require.Equal(t, "/v1/chat/completions", path)
	require.Equal(t, "Bearer k", key)
}
