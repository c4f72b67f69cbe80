package tool

// With returns a list that has the given tools too, at its end. A tool whose
// name is taken is left out: what the host registered comes first. A faulty one
// is an error.
func (l *List) With(tools ...Tool) (*List, error) {
	entries := append([]*entry{}, l.all()...)
	for _, t := range tools {
		if _, taken := l.find(t.Name); taken {
			continue
		}
		e, err := newEntry(t)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return newList(entries, l.words()), nil
}
