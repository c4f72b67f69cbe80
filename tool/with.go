package tool

// With returns a list that has the given tools too, at its end. A tool whose
// name l has already is left out: what the host registered comes first. The
// error names every one that is faulty, or has the name of another given one.
func (l *List) With(tools ...Tool) (*List, error) {
	var others []Tool
	for _, t := range tools {
		if _, taken := l.find(t.Name); !taken {
			others = append(others, t)
		}
	}
	entries, err := add(l.without(), others)
	if err != nil {
		return nil, err
	}
	return newList(entries, l.words()), nil
}

// With returns a registry that has r's tools, as they are at each moment, and
// the given ones at its end. A tool of r whose name is the same stands in place
// of a given one. What is added to the new registry is not added to r, and what
// is removed from it is only ever its own. It speaks in r's texts.
func (r *Registry) With(tools ...Tool) *Registry {
	over := NewRegistry(tools...)
	over.base = r
	return over
}

// A joined is the list of a registry over another, and what it was made of.
type joined struct{ base, own, whole *List }

// join returns the base's list with own at its end. The same lists are the same
// list.
func (r *Registry) join(own *List) *List {
	base := r.base.List()
	if j := r.whole.Load(); j != nil && j.base == base && j.own == own {
		return j.whole
	}
	entries := append([]*entry{}, base.all()...)
	for _, e := range own.all() {
		if _, taken := base.find(e.tool.Name); !taken {
			entries = append(entries, e)
		}
	}
	words := base.words()
	if base == nil {
		words = own.words()
	}
	whole := newList(entries, words)
	r.whole.Store(&joined{base, own, whole})
	return whole
}
