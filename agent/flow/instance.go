package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/triad-go/triad/agent/journal"
)

// A Record is what the journal holds of an instance, and an [agent.Event]: the stage that is about to
// run and what it is given, or [Done] and what came of it, or [Failed].
type Record[S any] struct {
	Stage   string `json:"stage"`
	Attempt int    `json:"attempt,omitempty"` // at the stage, from 1
	Visit   int    `json:"visit"`             // counts the stages of the key's instances, attempts apart
	State   S      `json:"state"`

	Of    string `json:"of,omitempty"` // the stage that failed
	Error string `json:"error,omitempty"`
}

const recordKind = "stage"

// Kind implements [agent.Event], so that a record can be shown as one.
func (Record[S]) Kind() string { return recordKind }

// again is the record of another attempt at the stage of r: for one that
// failed, at that stage.
func (r Record[S]) again() Record[S] {
	if r.Stage == Failed {
		r.Stage = r.Of
	}
	r.Of, r.Error = "", ""
	r.Attempt++
	return r
}

// Find returns where the instance of key is, and false where there is none.
func (p *Pipeline[S]) Find(ctx context.Context, key string) (Record[S], bool, error) {
	if p.Journal == nil {
		return Record[S]{}, false, errors.New("flow: the pipeline has no journal")
	}
	last, n, err := load[S](ctx, p.Journal, key)
	return last, n > 0, err
}

// load returns the last record of key, and how many there are.
func load[S any](ctx context.Context, j journal.Journal, key string) (last Record[S], length int, err error) {
	var data []byte
	for e, err := range j.Load(ctx, key) {
		if err == nil && e.Kind != recordKind {
			err = fmt.Errorf("it is no pipeline's: it holds a %q", e.Kind)
		}
		if err != nil {
			return last, 0, fmt.Errorf("flow: reading %s: %w", key, err)
		}
		data = e.Data
		length++
	}
	if length == 0 {
		return last, 0, nil
	}
	if err := json.Unmarshal(data, &last); err != nil {
		return last, 0, fmt.Errorf("flow: reading %s: record %d: %w", key, length, err)
	}
	return last, length, nil
}

// An instance is a pipeline at work under one key.
type instance[S any] struct {
	key    string
	store  journal.Journal
	box    journal.Journal // the one that was given
	last   Record[S]
	length int
	now    func() time.Time
	close  func() error
}

// open claims and loads the instance of key. The context that it returns ends
// with the claim.
func (p *Pipeline[S]) open(ctx context.Context, key string) (context.Context, *instance[S], error) {
	l := &instance[S]{key: key, store: p.Journal, box: p.Journal, now: p.Now, close: func() error { return nil }}
	if l.now == nil {
		l.now = time.Now
	}
	if c, ok := p.Journal.(journal.Claimer); ok {
		claim, err := c.Claim(ctx, key)
		if err != nil {
			return ctx, nil, fmt.Errorf("flow: claiming %s: %w", key, err)
		}
		if own, ok := claim.(journal.Journal); ok {
			l.store = own
		}
		ctx, l.close = keep(ctx, claim)
	}
	var err error
	if l.last, l.length, err = load[S](ctx, l.store, key); err != nil {
		return ctx, nil, errors.Join(err, l.close())
	}
	return ctx, l, nil
}

// keep renews a claim until it is closed. The context that it returns ends when
// the claim is lost.
func keep(ctx context.Context, claim journal.Claim) (context.Context, func() error) {
	within, cancel := context.WithCancelCause(ctx)
	var wait sync.WaitGroup
	if every := claim.Every(); every > 0 {
		wait.Go(func() {
			tick := time.NewTicker(every)
			defer tick.Stop()
			for {
				select {
				case <-within.Done():
					return
				case <-tick.C:
				}
				if err := claim.Renew(within); errors.Is(err, journal.ErrLost) {
					cancel(err)
					return
				}
			}
		})
	}
	return within, func() error {
		cancel(nil)
		wait.Wait()
		return claim.Release(context.WithoutCancel(ctx))
	}
}

// add stores a record. The end of ctx does not keep it from being stored: what
// was done is done.
func (l *instance[S]) add(ctx context.Context, r Record[S]) error {
	data, err := json.Marshal(r)
	if err == nil {
		err = l.store.Append(context.WithoutCancel(ctx), l.key, l.length, journal.Entry{At: l.now(), Kind: recordKind, Data: data})
	}
	if err != nil {
		return fmt.Errorf("flow: storing %s of %s: %w", r.Stage, l.key, err)
	}
	l.last, l.length = r, l.length+1
	return nil
}

// inner is the journal of runs below the instance. They stand under its claim,
// so they must not claim anything themselves.
func (l *instance[S]) inner() journal.Journal {
	if m, ok := l.box.(journal.Mailbox); ok {
		return struct {
			journal.Journal
			journal.Mailbox
		}{l.store, m}
	}
	return struct{ journal.Journal }{l.store}
}
