package tool

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// Faults of registration. An error of [Registry.Add] wraps one of them for
// each tool that it refuses, and names the tool.
var (
	ErrDuplicate = errors.New("the name is taken")
	ErrNoName    = errors.New("the name is empty")
	ErrBadName   = errors.New("a name has 1 to 64 of the characters A-Z a-z 0-9 _ -")
	ErrNoRun     = errors.New("no function to run")
	ErrBadSchema = errors.New("the schema is not a JSON Schema of an object")
	ErrBadLimit  = errors.New("a limit is negative")
)

// A Registry holds the tools of an agent, in the order in which they came. It
// may be changed while runs go on: a run looks at [Registry.List] anew each
// turn, and the calls of a turn keep to the list that their request advertised.
//
// The zero Registry and a nil one are empty; a nil one can't be added to. All
// methods may be called by many goroutines at once.
type Registry struct {
	mu   sync.Mutex // held by writers
	list atomic.Pointer[List]
	err  error // of NewRegistry

	base  *Registry // under this one, see With
	whole atomic.Pointer[joined]
}

// NewRegistry returns a registry of tools. If one of them is faulty the
// registry is empty, and [Registry.Err] says why; who runs an agent with it is
// told too.
func NewRegistry(tools ...Tool) *Registry {
	r := &Registry{}
	r.err = r.Add(tools...)
	return r
}

// Err returns what [NewRegistry] found wrong with its tools, or nil.
func (r *Registry) Err() error {
	if r == nil {
		return nil
	}
	return errors.Join(r.base.Err(), r.err)
}

// Add appends tools. It adds all of them or, with an error that names every
// fault, none.
func (r *Registry) Add(tools ...Tool) error { return r.Replace(nil, tools...) }

// Remove takes the tool named name away, and tells whether there was one. A
// call that is running is not touched; one that was asked for and not started
// gets an error result.
func (r *Registry) Remove(name string) bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.list.Load()
	if _, ok := old.find(name); !ok {
		return false
	}
	r.list.Store(newList(old.without(name), old.words()))
	return true
}

// Replace takes the tools named in names away and appends tools, in one step: no
// turn sees the registry in between. Names that are not there are passed over.
func (r *Registry) Replace(names []string, tools ...Tool) error {
	if r == nil {
		return errors.New("tool: adding to a nil registry")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.list.Load()
	entries, err := add(old.without(names...), tools)
	if err != nil {
		return err
	}
	r.list.Store(newList(entries, old.words()))
	return nil
}

// add appends tools to entries, which is the caller's own. The error names
// every fault.
func add(entries []*entry, tools []Tool) ([]*entry, error) {
	var faults []error
	for _, t := range tools {
		e, err := newEntry(t)
		if err == nil && slices.ContainsFunc(entries, func(e *entry) bool { return e.tool.Name == t.Name }) {
			err = ErrDuplicate
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("tool: adding %q: %w", t.Name, err))
			continue
		}
		entries = append(entries, e)
	}
	return entries, errors.Join(faults...)
}

// SetTexts replaces the words in which the registry's tools speak to the model.
// A nil registry keeps the English ones.
func (r *Registry) SetTexts(texts Texts) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list.Store(newList(r.list.Load().all(), texts.complete()))
}

// List returns the tools as they are now. It costs nothing.
func (r *Registry) List() *List {
	if r == nil {
		return nil
	}
	own := r.list.Load()
	if r.base == nil {
		return own
	}
	return r.join(own)
}
