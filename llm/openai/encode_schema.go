package openai

import (
	"bytes"
	"slices"
	"strings"
)

// An object is a JSON object whose members keep their order.
type object []objectMember

type objectMember struct {
	name  string
	value value
}

func objectOf(v value) (o object) {
	for name, member := range v.members() {
		o.set(string(name), member)
	}
	return o
}

func (o object) get(name string) value {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func (o *object) set(name string, v value) {
	for i := range *o {
		if (*o)[i].name == name {
			(*o)[i].value = v
			return
		}
	}
	*o = append(*o, objectMember{name, v})
}

func (o *object) drop(names ...string) {
	*o = slices.DeleteFunc(*o, func(m objectMember) bool { return slices.Contains(names, m.name) })
}

func (o object) encode() value {
	dst := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(appendString(dst, m.name), ':'), m.value...)
	}
	return append(dst, '}')
}

// choices are the ways to say that a schema is one of several, or all of them.
// The official API refuses them at the root, and some other keys with them.
var (
	choices   = []string{"anyOf", "oneOf", "allOf"}
	notAtRoot = append([]string{"$schema", "$ref", "not", "enum", "const"}, choices...)
)

// Bounds on what is looked into: schemas come from anywhere, and references
// may go round in circles.
const (
	maxDepth    = 32
	maxBranches = 200
)

// rooted returns the schema with an object at its root. What the root refers to
// is written out there; of a choice between objects it has all properties, and
// requires those that each of them requires.
func rooted(v value) []byte {
	o := objectOf(v)
	o.drop("$schema")
	if o.plain() {
		return o.encode()
	}
	f := flattener{root: o, left: maxBranches}
	flat := f.flatten(o)
	o.drop(notAtRoot...)
	for _, m := range flat.other {
		if o.get(m.name) == nil {
			o.set(m.name, m.value)
		}
	}
	o.set("type", value(`"object"`))
	o.set("properties", flat.properties.encode())
	o.drop("required")
	if len(flat.required) > 0 {
		list := []byte{'['}
		for i, name := range flat.required {
			if i > 0 {
				list = append(list, ',')
			}
			list = appendString(list, name)
		}
		o.set("required", append(list, ']'))
	}
	return o.encode()
}

// plain tells whether the root is an object already.
func (o object) plain() bool {
	for _, m := range o {
		if slices.Contains(notAtRoot, m.name) || m.name == "required" && !m.value.isList() {
			return false
		}
	}
	return string(o.get("type")) == `"object"` && o.get("properties").isObject()
}

// A flat schema is what the branches of a root come to.
type flat struct {
	properties object
	required   []string
	other      object // of what is referred to, such as a description
}

// A flattener counts what it may still look into.
type flattener struct {
	root object
	left int
}

func (fl *flattener) flatten(o object) (f flat) {
	if fl.left--; fl.left < 0 {
		return f
	}
	if target, ok := fl.resolve(o.get("$ref")); ok {
		f = fl.flatten(target)
		for _, m := range target {
			if !slices.Contains(notAtRoot, m.name) {
				f.other.set(m.name, m.value)
			}
		}
	}
	f.add(o)
	for _, way := range choices {
		f.choose(way, fl.branches(o.get(way)))
	}
	return f
}

func (fl *flattener) branches(list value) (out []flat) {
	for branch := range list.list() {
		out = append(out, fl.flatten(objectOf(branch)))
	}
	return out
}

// resolve follows a reference into the schema itself, such as #/$defs/A.
func (fl *flattener) resolve(ref value) (object, bool) {
	path, ok := strings.CutPrefix(ref.text(), "#/")
	if !ok {
		return nil, false
	}
	at := fl.root.encode()
	for _, name := range strings.Split(path, "/") {
		at = at.member(strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
	}
	return objectOf(at), at.isObject()
}

// choose takes in branches: all their properties, and what each of them, or
// for allOf any of them, requires.
func (f *flat) choose(way string, branches []flat) {
	var shared []string
	for i, b := range branches {
		for _, p := range b.properties {
			f.property(p)
		}
		switch {
		case way == "allOf":
			f.require(b.required)
		case i == 0:
			shared = slices.Clone(b.required)
		default:
			shared = slices.DeleteFunc(shared, func(name string) bool { return !slices.Contains(b.required, name) })
		}
	}
	f.require(shared)
}

// add takes in an object's own properties.
func (f *flat) add(o object) {
	for name, v := range o.get("properties").members() {
		f.property(objectMember{string(name), v})
	}
	var names []string
	for name := range o.get("required").list() {
		names = append(names, name.text())
	}
	f.require(names)
}

// property adds one; where two branches differ in it, it may be either.
func (f *flat) property(p objectMember) {
	have := f.properties.get(p.name)
	if have != nil && !bytes.Equal(have, p.value) {
		either := append(append([]byte(`{"anyOf":[`), have...), ',')
		p.value = append(append(either, p.value...), "]}"...)
	}
	f.properties.set(p.name, p.value)
}

func (f *flat) require(names []string) {
	for _, name := range names {
		if !slices.Contains(f.required, name) {
			f.required = append(f.required, name)
		}
	}
}

// withoutNulls returns the schema with an empty object for each properties that
// is null, and without each required that is: programs write them for "none".
func withoutNulls(v value, depth int) value {
	if depth > maxDepth || !bytes.Contains(v, []byte(":null")) {
		return v
	}
	switch {
	case v.isList():
		dst := []byte{'['}
		for item := range v.list() {
			if len(dst) > 1 {
				dst = append(dst, ',')
			}
			dst = append(dst, withoutNulls(item, depth+1)...)
		}
		return append(dst, ']')
	case !v.isObject():
		return v
	}
	var o object
	for name, member := range v.members() {
		switch name := string(name); {
		case name == "required" && member.absent():
		case name == "properties" && member.absent():
			o.set(name, value("{}"))
		case slices.Contains([]string{"default", "const", "enum", "example", "examples"}, name):
			o.set(name, member)
		default:
			o.set(name, withoutNulls(member, depth+1))
		}
	}
	return o.encode()
}
