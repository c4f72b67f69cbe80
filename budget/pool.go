package budget

import "sync"

// A Pool is a budget that a tree of runs draws from, beside the budget that
// each has of its own. It reserves before a model request and settles after
// it, so that runs side by side overshoot by one request each at most, and
// each amount counts once. A nil Pool bounds nothing. It is safe for
// concurrent use; Budget must not be changed once it is in use.
//
// All its limits are looked at before a model request and nowhere else: calls
// that a reply asked for still begin, and its Time cuts nothing short. Turns
// and Calls are those of all runs, Time is the active time of the outermost
// ones. Its Stall and AskEvery have no effect.
type Pool struct {
	Budget Budget

	mu       sync.Mutex
	joined   map[string]bool
	spent    Spent
	reserved Spent
}

// Join counts what the run id had spent before this pool was made. A run is
// counted once: one that is opened again has spent the rest through this pool.
func (p *Pool) Join(id string, spent Spent) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.joined == nil {
		p.joined = map[string]bool{}
	}
	if !p.joined[id] {
		p.joined[id] = true
		p.spent = p.spent.Plus(spent)
	}
}

// Reserve sets an estimate aside. It returns what puts the real amount in its
// place, to be called once; or an [*ExceededError] when nothing is left.
func (p *Pool) Reserve(estimate Spent) (settle func(used Spent), err error) {
	if p == nil {
		return func(Spent) {}, nil
	}
	return p.reserve(estimate)
}

func (p *Pool) reserve(estimate Spent) (settle func(used Spent), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.Budget.Check(p.spent.Plus(p.reserved)); err != nil {
		return nil, err
	}
	p.reserved = p.reserved.Plus(estimate)
	return func(used Spent) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.reserved = p.reserved.Since(estimate)
		p.spent = p.spent.Plus(used)
	}, nil
}

// Add counts what was spent without asking, such as a last request after a limit.
func (p *Pool) Add(used Spent) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spent = p.spent.Plus(used)
}

// Spent returns what has been used.
func (p *Pool) Spent() Spent {
	if p == nil {
		return Spent{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.spent
}
