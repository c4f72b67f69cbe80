package openai

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/triad-go/triad/llm"
)

// A wire is a network of pipes, so that real connections can be made within a
// bubble of testing/synctest, where time is fake.
type wire struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (w *wire) Accept() (net.Conn, error) {
	select {
	case c := <-w.conns:
		return c, nil
	case <-w.closed:
		return nil, net.ErrClosed
	}
}

func (w *wire) Close() error   { close(w.closed); return nil }
func (w *wire) Addr() net.Addr { return &net.UnixAddr{Name: "wire"} }

func (w *wire) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case w.conns <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// onWire runs a test in a bubble, with a client whose server is handler. When
// it returns, no goroutine of either may be left: the bubble sees to that.
func onWire(t *testing.T, handler http.HandlerFunc, test func(t *testing.T, c *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &wire{make(chan net.Conn), make(chan struct{})}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // without which a server does not see its client leave
			handler(w, r)
		})}
		go server.Serve(w)
		outside := &http.Transport{DialContext: w.dial}
		defer func() {
			outside.CloseIdleConnections()
			server.Close()
		}()
		test(t, stubbed(outside, llm.Dialect{Name: "test"}))
	})
}

// say writes a piece of a stream and flushes it.
func say(w http.ResponseWriter, format string, args ...any) {
	fmt.Fprintf(w, format, args...)
	w.(http.Flusher).Flush()
}

func delta(text string) string {
	return fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", text)
}

const bye = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
