package agent

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/llm"
)

// pollEvery is how often the mailbox of a run under way is looked at.
const pollEvery = 2 * time.Second

// The kinds of posts.
const (
	postSay    = "say"
	postAnswer = "answer"
	postStop   = "stop"
)

// Post leaves a message, an answer or a stop for the run id in a mailbox, from
// any process, also while nobody runs it: a [Said], an [Answered] or a
// [StopAsked]. When it returns nil the post is kept. It is taken in once, when
// the run is under way, within two seconds; what does not fit any more by then
// (an answer to a settled question, a stop of a run that has ended) changes
// nothing. Use it where the run may be under way elsewhere; [Run.Answer] and
// its like say at once what became of the answer.
//
// An empty id is made up; the same id twice is one post.
func Post(ctx context.Context, box journal.Mailbox, run, id string, f Fact) error {
	var kind string
	switch f.(type) {
	case Said:
		kind = postSay
	case Answered:
		kind = postAnswer
	case StopAsked:
		kind = postStop
	default:
		return fmt.Errorf("agent: posting to %s: a %T can't be posted", run, f)
	}
	if id == "" {
		id = strings.ToLower(rand.Text())
	}
	data, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("agent: posting to %s: %w", run, err)
	}
	return box.Post(ctx, run, journal.Post{ID: id, Kind: kind, Data: data, At: time.Now()})
}

func (r *Run) took(post string) {
	if post == "" {
		return
	}
	if r.posts == nil {
		r.posts = map[string]bool{}
	}
	r.posts[post] = true
}

// watch looks after what concerns a run from outside while it is under way: its
// mailbox and its lease. The mailbox is read once before watch returns, so
// that a stop posted earlier comes first. stop ends it and waits for it.
func (d *ride) watch(ctx context.Context, claim journal.Claim) (stop func(), err error) {
	box, _ := d.scope.Journal.(journal.Mailbox)
	if d.scope.private || box == nil && claim.Every() == 0 {
		return func() {}, nil
	}
	if d.box = box; box != nil {
		d.taking = make(chan struct{}, 1)
		if err := d.collect(ctx, box); err != nil {
			return func() {}, err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.keep(ctx, claim, box)
	}()
	return func() { cancel(); <-done }, nil
}

// keep renews the lease and polls the mailbox. Losing the lease lets go of
// all that is under way; the journal refuses what an owner that lost it writes.
func (d *ride) keep(ctx context.Context, claim journal.Claim, box journal.Mailbox) {
	look := pollEvery
	if every := claim.Every(); every > 0 {
		look = min(look, every)
	}
	tick := time.NewTicker(look)
	defer tick.Stop()
	renewed := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if every := claim.Every(); every > 0 && now.Sub(renewed) >= every {
				renewed = now
				if err := claim.Renew(ctx); errors.Is(err, journal.ErrLost) { // any other is tried again
					d.lose(fmt.Errorf("agent: renewing the claim of %s: %w", d.scope.ID, err))
					return
				}
			}
			if box != nil {
				_ = d.collect(ctx, box) // what could not be read is there at the next look
			}
		}
	}
}

// lose ends the ride with an error that comes from outside.
func (d *ride) lose(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bad = err
	d.cancel(err)
	d.ring()
}

// collect takes in what was posted.
func (d *ride) collect(ctx context.Context, box journal.Mailbox) error {
	select { // one look at a time, or a post is taken in twice
	case d.taking <- struct{}{}:
		defer func() { <-d.taking }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	posts, err := box.Posts(ctx, d.scope.ID)
	if err != nil {
		return fmt.Errorf("agent: reading the mailbox of %s: %w", d.scope.ID, err)
	}
	for _, p := range posts {
		d.mu.Lock()
		known := d.posts[p.ID]
		d.mu.Unlock()
		if !known {
			if err := d.deliver(p); errors.Is(err, errNotYet) {
				continue
			} else if err != nil {
				return err
			}
		}
		if err := box.Taken(ctx, d.scope.ID, p.ID); err != nil {
			return fmt.Errorf("agent: emptying the mailbox of %s: %w", d.scope.ID, err)
		}
	}
	return nil
}

// errNotYet keeps a post in the mailbox until the run within that it is for is open.
var errNotYet = errors.New("agent: not yet")

// early tells whether an answer is for a run within that is not open yet.
func (d *ride) early(f Answered) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	in, _, _, deep := d.child(f.ID)
	if !deep || in != nil {
		return false
	}
	s, err := d.sleeper(f)
	if err != nil {
		return false
	}
	settled, err := s.settled(f)
	return !settled && err == nil
}

// past tells whether a stop was meant for an earlier run of this log. Posts come
// in order, so one that comes behind a message is about what that began.
func (d *ride) past(p journal.Post) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.end > 0 && p.For <= d.end && !d.posted
}

// deliver posts to the run. What does not fit the run any more is dropped;
// what the journal does not take is an error.
func (d *ride) deliver(p journal.Post) error {
	var err error
	switch p.Kind {
	case postSay:
		var f Said
		if json.Unmarshal(p.Data, &f) != nil || len(f.Images) > 0 && !d.seesImages() {
			break
		}
		if !blank(f.Text) || len(f.Images) > 0 {
			// What the gates say, and what is a prompt, no post decides.
			err = d.post(Said{Text: llm.Clean(f.Text), Images: f.Images, Later: f.Later, Post: p.ID})
		}
	case postAnswer:
		var f Answered
		if json.Unmarshal(p.Data, &f) == nil {
			f = Answered{ID: f.ID, Answer: f.Answer, Post: p.ID}
			if d.early(f) {
				return errNotYet
			}
			err = d.answer(f)
			if errors.Is(err, ErrAsleep) {
				return errNotYet
			}
			if errors.Is(err, ErrNoQuestion) || errors.Is(err, ErrStale) || errors.Is(err, ErrUnfit) {
				err = nil // told to nobody: it is one that does not fit any more
			}
		}
	case postStop:
		var f StopAsked
		if json.Unmarshal(p.Data, &f) == nil && !d.past(p) {
			err = d.stop(StopAsked{Why: f.Why, Post: p.ID})
		}
	}
	if err == nil {
		d.mu.Lock()
		err = d.bad
		d.mu.Unlock()
	}
	return err
}
