package agent

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/triad-go/triad/llm"
)

// Say adds a message. It is told to the model after the results of the turn
// under way, or, after the end of the run, as the next prompt. When Say returns
// nil the message is in the journal.
func (r *Run) Say(text string) error { return r.SayParts(llm.Text(text)) }

// SayParts is Say for a message of texts and images.
func (r *Run) SayParts(parts ...llm.Part) error {
	f, err := said(parts)
	if err != nil {
		return err
	}
	if len(f.Images) > 0 && !r.seesImages() {
		return ErrNoImages
	}
	return r.post(f)
}

// Then adds a message that is told when the run would end otherwise.
func (r *Run) Then(text string) error {
	if blank(text) {
		return ErrEmpty
	}
	return r.post(Said{Text: llm.Clean(text), Later: true})
}

// seesImages tells whether the mode takes images in.
func (r *Run) seesImages() bool {
	m, ok := r.mode.(interface{ Images() bool })
	return ok && m.Images()
}

func said(parts []llm.Part) (Said, error) {
	var f Said
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			f.Text += llm.Clean(string(p)) // what no provider takes would stand in each request from here on
		case llm.Image:
			if p.MediaType == "" || len(p.Data) == 0 {
				return f, errors.New("agent: an image needs a media type and data")
			}
			f.Images = append(f.Images, p)
		default:
			return f, fmt.Errorf("agent: a message of the user can't hold a %T", p)
		}
	}
	if blank(f.Text) && len(f.Images) == 0 {
		return f, ErrEmpty
	}
	return f, nil
}

// Grant lets the run go on with more: ten turns more from here, whatever it
// has used. Limits that are nil in more stay as they are. After a stall an
// empty Granted lets it go on. It is for a run of a [Loop]; a plan and a team
// have no limits of their own, and say so with an error.
func (r *Run) Grant(more Granted) error {
	if err := more.validate(); err != nil {
		return err
	}
	m, ok := r.mode.(granter)
	if !ok {
		return errors.New("agent: granting more: the run has no limits of its own")
	}
	if err := m.grants(more); err != nil {
		return fmt.Errorf("agent: granting more: %w", err)
	}
	return r.post(more)
}

// Stop ends the run for good, with all that is under way within it. To leave
// it as it is, break out of the loop over its events, or end their context.
func (r *Run) Stop(why string) error { return r.stop(StopAsked{Why: why}) }

func (r *Run) stop(f StopAsked) error {
	r.mu.Lock()
	if r.ride != nil {
		r.ride.closing = &f // nothing new is started from here on
	}
	inner := slices.AppendSeq(slices.Collect(maps.Values(r.inner)), maps.Values(r.parked))
	inner = slices.AppendSeq(inner, maps.Values(r.woken))
	r.mu.Unlock()
	var failed error
	if len(inner) > 0 {
		failed = r.owning(func() (err error) {
			for _, in := range inner { // first, so that each notes why it ends
				if failed := in.stop(StopAsked{Why: f.Why}); !outdated(failed) || !r.drop(in) { // else the end of its call says it
					err = errors.Join(err, failed)
				}
			}
			return err
		})
	}
	return errors.Join(failed, r.post(f))
}

// Rest lets the loop over the events end at the next turn boundary. The run
// has not ended: another range goes on.
func (r *Run) Rest() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rest = !r.ended
	r.ring()
}
