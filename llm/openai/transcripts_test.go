package openai

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

)

// A transcript is what a real provider answered to another program.
type transcript struct {
	file      string
	Exchanges []struct {
		Request  struct{ Body recordedRequest }
		Response recordedAnswer
	}
}

type recordedAnswer struct {
	Status  int
	Headers map[string]string
	Body    string
}

func (a recordedAnswer) header() http.Header {
	h := http.Header{}
	for name, v := range a.Headers {
		if !slices.Contains([]string{"content-length", "content-encoding", "transfer-encoding", "connection"}, strings.ToLower(name)) {
			h.Set(name, v)
		}
	}
	return h
}

type recordedRequest struct {
	Messages []recordedMessage
	Tools    []struct{ Function struct{ Name string } }
}

type recordedMessage struct {
	Role      string
	Content   json.RawMessage
	ToolCalls []struct {
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
	ReasoningContent string          `json:"reasoning_content"`
	Reasoning        string          `json:"reasoning"`
	ReasoningDetails json.RawMessage `json:"reasoning_details"`
}

// transcripts reads the recordings in $TRIAD_TRANSCRIPTS, and skips the test
// where there are none.
func transcripts(t testing.TB) (all []transcript) {
	t.Helper()
	root := os.Getenv("TRIAD_TRANSCRIPTS")
	if root == "" {
		t.Skip("NOT TESTED AGAINST REAL PROVIDERS: set TRIAD_TRANSCRIPTS to the folder of recorded streams")
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "*.json"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 208, "recordings are missing in %s", root)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		one := transcript{file: filepath.Base(file)}
		require.NoError(t, json.Unmarshal(data, &one), file)
		all = append(all, one)
	}
	return all
}
