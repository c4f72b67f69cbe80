package openai

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

// aimock starts a mock server that others made, @copilotkit/aimock, and returns
// its base URL.
func aimock(t *testing.T) string {
	t.Helper()
	cli := os.Getenv("TRIAD_AIMOCK")
	if cli == "" {
		t.Skip("NOT TESTED AGAINST AIMOCK: set TRIAD_AIMOCK to the dist/cli.js of the npm package @copilotkit/aimock")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("NOT TESTED AGAINST AIMOCK: node is missing")
	}
	process := exec.Command(node, cli, "-p", "0", "-f", "testdata/aimock")
	process.WaitDelay = 10 * time.Second
	out, err := process.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, process.Start())
	t.Cleanup(func() {
		process.Process.Kill()
		process.Wait()
	})
	listening := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url := listening.FindString(lines.Text()); url != "" {
			return url + "/v1"
		}
	}
	t.Fatal("aimock ended before it listened")
	return ""
}

// A server by others, on real sockets: reasoning and parallel calls in pieces,
// too many requests, cut and broken streams, malformed JSON.
func TestAimock(t *testing.T) {
	base := aimock(t)
	asked := func(text string, chaos ...string) reading {
		c := &Client{Model: "m", BaseURL: base, Key: "sk-test", Speaks: &llm.Dialect{Name: "aimock"}, HTTP: &http.Client{Transport: &http.Transport{}}}
		defer c.HTTP.CloseIdleConnections()
		if len(chaos) > 0 {
			c.Header = http.Header{"X-Aimock-Chaos-" + chaos[0]: {"1"}}
		}
		return read(t, c, llm.Request{Messages: []llm.Message{llm.UserText(text)}, Tools: []llm.Spec{{Name: "look"}, {Name: "save"}}})
	}
	for chaos, want := range map[string]struct {
		kind llm.ErrorKind
		wait time.Duration
	}{
		"Ratelimit":  {llm.ErrRateLimit, time.Second},
		"Drop":       {llm.ErrUnavailable, 0},
		"Disconnect": {llm.ErrConnection, 0},
		"Malformed":  {llm.ErrMalformed, 0},
	} {
		r := asked("hello", chaos)
		require.NotNil(t, r.err, chaos)
		require.ErrorIs(t, r.err, want.kind, chaos)
		require.Equal(t, want.wait, r.err.RetryAfter, chaos)
	}
	require.Equal(t, 7*time.Second, asked("hurry").err.RetryAfter)

	r := asked("weather")
	require.Nil(t, r.err)
	require.Equal(t, `reasoning "Two cities, two calls."
text "I look."
call k1 look {"city":"Oslo"}
call k2 look {"city":"Rome"}
finish tool_calls (tool_calls)
`, withoutUsage(r.dump()))
	require.False(t, r.reply.Usage.Estimated)
	require.Equal(t, "né 你好 🌍", asked("hello").text)

	r = asked("cut")
	require.NotNil(t, r.err)
	require.True(t, r.err.Retryable())
	require.NotEmpty(t, r.err.Partial)
	r = asked("gone")
	require.NotNil(t, r.err, "a call that was cut off is no call")
	require.True(t, r.err.Retryable())
}

func withoutUsage(dump string) string {
	return regexp.MustCompile(`(?m)^(usage|model) .*\n`).ReplaceAllString(dump, "")
}
