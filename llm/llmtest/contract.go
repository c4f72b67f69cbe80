package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/triad-go/triad/llm"
)

// TestClient tests that c keeps the contract of [llm.Client]. It makes some
// fifty requests, eight at once, so c must answer the same short question as
// often as it is asked. Run it with -race, and not beside parallel tests: it
// counts goroutines.
//
// What c does when its provider fails can only be tested with such a provider:
// see [Contract].
func TestClient(t *testing.T, c llm.Client) {
	t.Helper()
	Contract{Client: c}.Test(t)
}

// A Contract is a test of one kind of client, in its good and bad hours.
type Contract struct {
	Client llm.Client // its provider answers Request, as often as it is asked

	// Failing's provider fails, best after it has said some text; Silent's
	// provider falls silent, at once or after some text, and never ends. Nil
	// leaves out what is tested with it.
	Failing llm.Client
	Silent  llm.Client

	// Request is what is asked. One without messages asks for a short poem.
	Request llm.Request

	// Limit is how long one request may take, and "soon" for one that is
	// canceled; 0 is ten seconds.
	Limit time.Duration
}

// Test runs the tests, each as a subtest.
func (c Contract) Test(t *testing.T) {
	t.Helper()
	for _, check := range c.checks() {
		t.Run(check.name, func(t *testing.T) {
			if err := check.run(); err != nil {
				t.Error(err)
			}
		})
	}
}

type check struct {
	name string
	run  func() error
}

func (c Contract) checks() []check {
	if len(c.Request.Messages) == 0 {
		c.Request.Messages = []llm.Message{llm.UserText("Write a poem of two lines about the sea.")}
	}
	if c.Limit == 0 {
		c.Limit = 10 * time.Second
	}
	checks := []check{
		{"deltas then one reply", c.answers},
		{"the same request twice", c.twice},
		{"one stream ranged over twice", c.again},
		{"many at once", c.atOnce},
		{"the reader leaves", c.leave},
		{"the context has ended", c.ended},
		{"the context ends", c.cancel},
	}
	if c.Failing != nil {
		checks = append(checks, check{"the provider fails", c.failing})
	}
	if c.Silent != nil {
		checks = append(checks, check{"the provider falls silent", c.silent})
	}
	return checks
}

// answers asks once.
func (c Contract) answers() error { return c.ask(c.Request) }

func (c Contract) ask(req llm.Request) error {
	return answered(c.read(stream(context.Background(), c.Client, req), nil))
}

// answered wants a reply.
func answered(r reading) error {
	if r.fault == nil && r.err != nil {
		return fmt.Errorf("the request failed, and no test is possible: %w", r.err)
	}
	return r.fault
}

// twice asks twice and looks whether the request is still what it was.
func (c Contract) twice() error {
	before, err := json.Marshal(c.Request)
	if err != nil {
		return fmt.Errorf("encoding the request: %w", err)
	}
	for range 2 {
		if err := c.ask(c.Request); err != nil {
			return err
		}
	}
	if after, err := json.Marshal(c.Request); err != nil || string(after) != string(before) {
		return errors.New("the client changed the request")
	}
	return nil
}

// again ranges over one sequence twice: each time is a request of its own.
func (c Contract) again() error {
	stream := c.Client.Stream(context.Background(), c.Request)
	for range 2 {
		if err := answered(c.read(stream, nil)); err != nil {
			return err
		}
	}
	return nil
}

// atOnce asks from many goroutines; the race detector sees the rest.
func (c Contract) atOnce() error {
	errs := make([]error, 8)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = c.ask(c.Request) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// leave stops reading at the first chunk, often enough that what each request
// leaves behind shows beside the connections that clients keep open.
func (c Contract) leave() error {
	const rounds = 24
	first := func(llm.Chunk) bool { return false }
	if r := c.read(stream(context.Background(), c.Client, c.Request), first); r.fault != nil {
		return r.fault
	}
	before := runtime.NumGoroutine()
	for range rounds {
		if r := c.read(stream(context.Background(), c.Client, c.Request), first); r.fault != nil {
			return r.fault
		}
	}
	return c.settle(before + rounds/2)
}

// settle waits until no more goroutines than this run.
func (c Contract) settle(most int) error {
	late := time.After(c.Limit)
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for runtime.NumGoroutine() > most {
		select {
		case <-look.C:
		case <-late:
			return fmt.Errorf("goroutines are left behind: %d run, and at most %d should", runtime.NumGoroutine(), most)
		}
	}
	return nil
}

// ended asks with a context that has ended already.
func (c Contract) ended() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return wantEnd(ctx, c.read(stream(ctx, c.Client, c.Request), nil))
}

// cancel ends the context at the first delta.
func (c Contract) cancel() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r := c.read(stream(ctx, c.Client, c.Request), func(llm.Chunk) bool {
		cancel()
		return true
	})
	if ctx.Err() == nil { // nothing was shown before the reply
		return r.fault
	}
	return wantEnd(ctx, r)
}

// silent ends the context of a stream that has fallen silent.
func (c Contract) silent() error {
	const patience = 50 * time.Millisecond // for what is said first
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return wantEnd(ctx, c.read(stream(ctx, c.Silent, c.Request), nil))
}

// wantEnd wants the error of a stream whose context ended.
func wantEnd(ctx context.Context, r reading) error {
	switch {
	case r.fault != nil:
		return r.fault
	case r.err == nil:
		return errors.New("the context had ended, and the stream went on to its reply")
	case !errors.Is(r.err, ctx.Err()):
		return fmt.Errorf("the context ended, and the error does not wrap its own: %w", r.err)
	}
	return nil
}

// failing wants an error that says what went wrong and what was shown.
func (c Contract) failing() error {
	r := c.read(stream(context.Background(), c.Failing, c.Request), nil)
	switch {
	case r.fault != nil:
		return r.fault
	case r.err == nil:
		return errors.New("the provider failed, and the stream ended in a reply")
	}
	e, ok := errors.AsType[*llm.Error](r.err)
	switch {
	case !ok:
		return fmt.Errorf("the error is no *llm.Error and wraps none: %w", r.err)
	case e.Kind == "":
		return fmt.Errorf("the error has no kind: %w", r.err)
	case e.Partial != r.text:
		return fmt.Errorf("text %q was shown, and the error's partial text is %q", r.text, e.Partial)
	}
	return nil
}
