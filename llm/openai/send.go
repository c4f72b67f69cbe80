package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/triad-go/triad/llm"
)

// maxErrorBody is how much of an answer with a status of failure is read.
const maxErrorBody = 256 << 10

// An answer is what a server sends. Its body is read with an eye on the clock.
type answer struct {
	status int
	header http.Header
	body   *watched
	cause  func() error // why the request was ended, if it was
	cancel context.CancelCauseFunc
}

// close lets go of the connection.
func (a *answer) close() {
	a.cancel(nil)
	if a.body != nil {
		a.body.Close()
	}
}

// A watched body ends its request when nothing comes for too long. The clock
// runs only while a read waits, so a slow reader does no harm.
type watched struct {
	io.ReadCloser
	timer   *time.Timer
	silence time.Duration
}

func (w *watched) Read(p []byte) (int, error) {
	w.timer.Reset(w.silence)
	n, err := w.ReadCloser.Read(p)
	w.timer.Stop()
	return n, err
}

// send makes one request and returns its answer, or the error that the answer
// is. The answer must be closed.
func (c *Client) send(ctx context.Context, body []byte) (*answer, *llm.Error) {
	options, err := c.options()
	if err != nil {
		return nil, llm.AsError(err)
	}
	within, cancel := context.WithCancelCause(ctx)
	a := &answer{cause: func() error { return context.Cause(within) }, cancel: cancel}
	limits := c.limits(cancel)
	defer limits.stop()

	var res *http.Response
	options = append(options,
		option.WithRequestBody("application/json", body),
		option.WithHeader("Accept", "text/event-stream, application/json"),
		option.WithResponseBodyInto(&res),
		option.WithMiddleware(limits.watch),
	)
	service := openai.NewChatCompletionService(options...)
	_, err = service.New(httptrace.WithClientTrace(within, limits.trace()), openai.ChatCompletionNewParams{})
	if res != nil && res.StatusCode >= 300 {
		defer a.close()
		page, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
		res.Body.Close()
		if ctx.Err() != nil {
			return nil, c.broken(ctx, a.cause(), ctx.Err())
		}
		return nil, c.refusal(res.StatusCode, res.Header, page)
	}
	if err == nil && res == nil {
		err = errors.New("the transport gave neither an answer nor an error")
	}
	if err != nil {
		defer a.close()
		return nil, c.broken(ctx, a.cause(), err)
	}
	a.status, a.header = res.StatusCode, res.Header
	a.body = res.Body.(*watched)
	return a, nil
}

// limits are the clocks of one request.
type limits struct {
	connect *time.Timer
	silent  *time.Timer
	silence time.Duration

	mu       sync.Mutex
	answered bool // the clock for silence is the body's now
}

// limits starts the clock for the connection; that for silence starts when
// there is one.
func (c *Client) limits(cancel context.CancelCauseFunc) *limits {
	connect, silence := orDefault(c.ConnectTimeout, DefaultConnectTimeout), orDefault(c.Silence, DefaultSilence)
	l := &limits{silence: silence}
	l.connect = time.AfterFunc(connect, func() {
		cancel(&errLimit{"no connection within " + connect.String()})
	})
	l.silent = time.AfterFunc(silence, func() {
		cancel(&errLimit{"nothing came for " + silence.String()})
	})
	l.silent.Stop()
	return l
}

// trace follows the way to an answer: the connection is there, the request is
// out, the server gives a sign of life.
func (l *limits) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) {
			l.connect.Stop()
			l.life()
		},
		WroteRequest:   func(httptrace.WroteRequestInfo) { l.life() },
		Got100Continue: l.life,
	}
}

// life starts the clock for silence anew. The transport may tell of a request
// written when its answer has long begun.
func (l *limits) life() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.answered {
		l.silent.Reset(l.silence)
	}
}

func (l *limits) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answered = true
	l.connect.Stop()
	l.silent.Stop()
}

// watch is a middleware of the SDK's: it watches the body, and bounds that of a
// failure, which the SDK would read whole.
func (l *limits) watch(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(req)
	l.stop()
	if err != nil || res.Body == nil {
		return res, err
	}
	body := &watched{res.Body, l.silent, l.silence}
	res.Body = body
	if res.StatusCode >= 400 {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(body, maxErrorBody), body}
	}
	return res, err
}
