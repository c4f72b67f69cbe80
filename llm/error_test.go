package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
)

func TestErrorText(t *testing.T) {
	tests := []struct {
		err  *llm.Error
		want string
	}{
		{&llm.Error{Kind: llm.ErrTimeout}, "llm: timed out"},
		{
			&llm.Error{Kind: llm.ErrRateLimit, Client: "openai", Status: 429, Code: "tpm", Message: "slow down", RetryAfter: 2 * time.Second},
			"llm: openai: rate limited: slow down (status 429, code tpm, retry after 2s)",
		},
		{&llm.Error{Kind: llm.ErrConnection, Err: io.ErrUnexpectedEOF}, "llm: connection broken: unexpected EOF"},
		{&llm.Error{Kind: llm.ErrConnection, Message: "reading", Err: io.EOF}, "llm: connection broken: reading: EOF"},
		{&llm.Error{Kind: llm.ErrConnection, Message: "got EOF here", Err: io.EOF}, "llm: connection broken: got EOF here"},
		{&llm.Error{Kind: llm.ErrConnection, Message: "EOF", Err: errors.New("proxy: EOF")}, "llm: connection broken: proxy: EOF"},
		{nil, "llm: no error"},
	}
	for _, test := range tests {
		require.Equal(t, test.want, test.err.Error())
	}
}

func TestErrorsAreTestedByKind(t *testing.T) {
	err := fmt.Errorf("planner: %w", &llm.Error{Kind: llm.ErrContextLength, Err: io.EOF})
	require.ErrorIs(t, err, llm.ErrContextLength)
	require.ErrorIs(t, err, io.EOF)
	require.NotErrorIs(t, err, llm.ErrRateLimit)
	require.Equal(t, "llm: context too long", llm.ErrContextLength.Error())
	var none *llm.Error
	require.NotErrorIs(t, none, llm.ErrContextLength)
	require.False(t, none.Retryable())
}

// LLM-25, LLM-26: what is retried, and what is not.
func TestRetryable(t *testing.T) {
	for _, code := range []int{408, 429, 500, 502, 503, 504} {
		require.True(t, status(code).Retryable(), "%d", code)
	}
	for _, code := range []int{400, 401, 402, 403, 404, 409, 413, 415, 422, 501, 505} {
		require.False(t, status(code).Retryable(), "%d", code)
	}
	want := map[llm.ErrorKind]bool{
		llm.ErrBadRequest: false, llm.ErrAuth: false, llm.ErrQuota: false, llm.ErrRateLimit: true,
		llm.ErrContextLength: false, llm.ErrRefused: false, llm.ErrUnavailable: true, llm.ErrConnection: true,
		llm.ErrTimeout: true, llm.ErrIncomplete: true, llm.ErrMalformed: false, llm.ErrNoReply: false,
		llm.ErrNotAllowed: false, llm.ErrCanceled: false, llm.ErrUnknown: false, "": false,
	}
	for kind, retryable := range want {
		require.Equal(t, retryable, (&llm.Error{Kind: kind}).Retryable(), string(kind))
	}
	require.False(t, (&llm.Error{Kind: llm.ErrQuota, Status: 429}).Retryable(), "a quota error as 429")
}

// B102: an error that no client classed is no broken connection only because
// it looks like one.
func TestAsError(t *testing.T) {
	inner := &llm.Error{Kind: llm.ErrRateLimit}
	reset := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	tests := []struct {
		name string
		err  error
		want llm.ErrorKind
	}{
		{"its own", inner, llm.ErrRateLimit},
		{"wrapped", fmt.Errorf("proxy: %w", inner), llm.ErrRateLimit},
		{"canceled", fmt.Errorf("x: %w", context.Canceled), llm.ErrCanceled},
		{"deadline", context.DeadlineExceeded, llm.ErrTimeout},
		{"reset", fmt.Errorf("x: %w", reset), llm.ErrConnection},
		{"dns", &net.DNSError{Err: "no such host"}, llm.ErrConnection},
		{"dns timeout", &net.DNSError{IsTimeout: true}, llm.ErrTimeout},
		{"http", &url.Error{Op: "Post", URL: "http://h", Err: errors.New("server closed idle connection")}, llm.ErrConnection},
		{"http canceled", &url.Error{Op: "Post", URL: "http://h", Err: context.Canceled}, llm.ErrCanceled},
		{"early end", io.ErrUnexpectedEOF, llm.ErrConnection},
		{"no such file", &fs.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}, llm.ErrUnknown},
		{"file closed", &fs.PathError{Op: "read", Path: "x", Err: os.ErrClosed}, llm.ErrUnknown},
		{"any other", errors.New("connection refused by policy"), llm.ErrUnknown},
		{"typed nil", (*llm.Error)(nil), llm.ErrUnknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := llm.AsError(test.err)
			require.Equal(t, test.want, got.Kind)
			require.NotEmpty(t, got.Error())
		})
	}
	require.Nil(t, llm.AsError(nil))
	require.Same(t, inner, llm.AsError(fmt.Errorf("proxy: %w", inner)))
}

func TestAsErrorLeavesTheAddressOut(t *testing.T) {
	err := llm.AsError(fmt.Errorf("x: %w", &url.Error{Op: "Post", URL: "http://h/v1?key=SECRET", Err: io.EOF}))
	require.NotContains(t, err.Error(), "SECRET")
	require.ErrorIs(t, err, io.EOF)
}

func TestErrorSurvivesJSON(t *testing.T) {
	err := &llm.Error{
		Kind: llm.ErrContextLength, Client: "openai", Status: 400, Code: "c", Param: "messages", Message: "too long",
		RetryAfter: time.Second, Window: 1000, Input: 2000, Partial: "Hel", Usage: llm.Usage{Input: 3, Output: 1},
	}
	require.Equal(t, err, throughJSON(t, err))

	err.Err = io.ErrUnexpectedEOF
	back := throughJSON(t, err)
	require.Equal(t, err.Error(), back.Error(), "the cause is kept as its text")
	require.ErrorIs(t, back, llm.ErrContextLength)
	require.Equal(t, back, throughJSON(t, back))

	byValue, e := json.Marshal(*err)
	require.NoError(t, e)
	byPointer, e := json.Marshal(err)
	require.NoError(t, e)
	require.Equal(t, string(byPointer), string(byValue))
	require.Error(t, json.Unmarshal([]byte(`{"kind":1}`), err))
}
