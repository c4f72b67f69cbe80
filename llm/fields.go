package llm

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// A field is a member of an object as a struct wants it.
type field struct {
	name     string
	typ      reflect.Type // nil for one that is written inside a string
	optional bool
	depth    int // of embedding
}

type fields []field

func (fs fields) named(name string) (field, bool) {
	i := slices.IndexFunc(fs, func(m field) bool { return m.name == name })
	if i < 0 {
		return field{}, false
	}
	return fs[i], true
}

// String lists the names.
func (fs fields) String() string {
	names := make([]string, len(fs))
	for i, m := range fs {
		names[i] = m.name
	}
	return strings.Join(names, ", ")
}

// fieldsOf follows the rules of encoding/json: the fields of an embedded
// struct without a name of its own are the outer one's, unless hidden by one
// that is less deep.
func fieldsOf(t reflect.Type) fields {
	var all fields
	all.add(t, 0, map[reflect.Type]bool{})
	return all
}

func (fs *fields) add(t reflect.Type, depth int, within map[reflect.Type]bool) {
	if within[t] {
		return
	}
	within[t] = true
	defer delete(within, t)
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if inner := embedded(f); inner != nil && name == "" {
			fs.add(inner, depth+1, within)
			continue
		}
		if tag == "-" || !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		m := field{name: name, typ: f.Type, depth: depth}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty", "omitzero":
				m.optional = true
			case "string":
				m.typ = nil
			}
		}
		fs.put(m)
	}
}

func (fs *fields) put(m field) {
	for i, other := range *fs {
		if other.name == m.name {
			if m.depth < other.depth {
				(*fs)[i] = m
			}
			return
		}
	}
	*fs = append(*fs, m)
}

// embedded returns the struct that a field embeds, or nil.
func embedded(f reflect.StructField) reflect.Type {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !f.Anonymous || t.Kind() != reflect.Struct {
		return nil
	}
	return t
}

// structure returns the type that decides what JSON is wanted, or nil where any
// is: the type decodes itself, is an interface, or keeps a number as its text.
func structure(t reflect.Type) reflect.Type {
	for t != nil {
		switch {
		case decodesItself(t), t.Kind() == reflect.Interface, t == reflect.TypeFor[json.Number]():
			return nil
		case t.Kind() != reflect.Pointer:
			return t
		}
		t = t.Elem()
	}
	return nil
}

func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

func nullable(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface || decodesItself(t)
}

// elem returns the type of what an array or an object holds; nil stays nil.
func elem(t reflect.Type) reflect.Type {
	if t == nil {
		return nil
	}
	return t.Elem()
}

// kindName says what JSON a type wants.
func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "a boolean"
	case reflect.String:
		return "a string"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 && !decodesItself(t.Elem()) {
			return "a string" // base64
		}
		return "an array"
	case reflect.Array:
		return "an array"
	case reflect.Pointer:
		return kindName(t.Elem())
	}
	return "a number"
}

func kindOfToken(token json.Token) string {
	switch token {
	case json.Delim('{'):
		return "an object"
	case json.Delim('['):
		return "an array"
	}
	switch token.(type) {
	case bool:
		return "a boolean"
	case string:
		return "a string"
	}
	return "a number"
}
