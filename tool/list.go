package tool

import (
	"fmt"
	"iter"
	"regexp"
	"slices"

	"github.com/triad-go/triad/llm"
)

// A List is the tools of a [Registry] at one moment. It never changes. A nil
// List is an empty one.
type List struct {
	entries []*entry
	byName  map[string]*entry
	specs   []llm.Spec
	texts   *Texts
}

// An entry is a registered tool and what was made of it at its registration.
type entry struct {
	tool   Tool
	schema *schema
}

var validName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func newEntry(t Tool) (*entry, error) {
	switch {
	case t.Name == "":
		return nil, ErrNoName
	case !validName.MatchString(t.Name):
		return nil, ErrBadName
	case t.err != nil:
		return nil, t.err
	case t.Run == nil:
		return nil, ErrNoRun
	case t.Limit < 0 && t.Limit != Unlimited, t.LimitCap < 0, t.Grace < 0, t.MaxText < 0:
		return nil, ErrBadLimit
	}
	schema, err := compile(t.Schema)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadSchema, err)
	}
	return &entry{t, schema}, nil
}

func newList(entries []*entry, texts *Texts) *List {
	l := &List{
		entries: entries,
		byName:  make(map[string]*entry, len(entries)),
		specs:   make([]llm.Spec, len(entries)),
		texts:   texts,
	}
	for i, e := range entries {
		l.byName[e.tool.Name] = e
		l.specs[i] = llm.Spec{Name: e.tool.Name, Description: e.tool.Description, Schema: e.schema.shown}
	}
	return l
}

// Len returns the number of tools.
func (l *List) Len() int { return len(l.all()) }

// Specs returns what a model is told of the tools, in order of registration.
// It is the same slice each time: do not change it.
func (l *List) Specs() []llm.Spec {
	if l == nil {
		return nil
	}
	return l.specs
}

// Find returns the tool named name, exactly.
func (l *List) Find(name string) (Tool, bool) {
	if l == nil {
		return Tool{}, false
	}
	e, ok := l.byName[name]
	if !ok {
		return Tool{}, false
	}
	return l.told(e), true
}

// told returns e's tool, which speaks in the list's texts.
func (l *List) told(e *entry) Tool {
	t := e.tool
	t.texts = l.texts
	return t
}

// All yields the tools, in order of registration.
func (l *List) All() iter.Seq[Tool] {
	return func(yield func(Tool) bool) {
		for _, e := range l.all() {
			if !yield(l.told(e)) {
				return
			}
		}
	}
}

func (l *List) all() []*entry {
	if l == nil {
		return nil
	}
	return l.entries
}

// without returns a copy of the entries but for those of these names.
func (l *List) without(names ...string) (entries []*entry) {
	for _, e := range l.all() {
		if !slices.Contains(names, e.tool.Name) {
			entries = append(entries, e)
		}
	}
	return entries
}

func (l *List) words() *Texts {
	if l == nil || l.texts == nil {
		return english
	}
	return l.texts
}
