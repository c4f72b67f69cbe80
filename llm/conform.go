package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// A fault is one place where a JSON value is not of its type.
type fault struct{ path, what string }

// faults are in the order of the text. As an error they speak of the first
// place without its path, which a [DecodeError] has beside it.
type faults []fault

// maxFaults bounds what is told of one value.
const maxFaults = 10

func (fs faults) Error() string {
	var b strings.Builder
	b.WriteString(fs[0].what)
	for _, f := range fs[1:] {
		b.WriteString("; " + f.path + ": " + f.what)
	}
	return b.String()
}

// conform looks where data, which is valid JSON, is not what [Decode] wants of
// a t. It finds what encoding/json lets pass, and is otherwise content with
// what that will find.
func conform(data []byte, t reflect.Type) faults {
	c := conformer{dec: json.NewDecoder(bytes.NewReader(data)), known: make(map[reflect.Type]fields)}
	c.dec.UseNumber()
	if strings.TrimSpace(string(data)) == "null" {
		return faults{{"", "null is no value"}}
	}
	c.value("", t, false)
	return c.found
}

type conformer struct {
	dec   *json.Decoder
	known map[reflect.Type]fields
	found faults
}

func (c *conformer) wrong(path, format string, args ...any) {
	if len(c.found) < maxFaults {
		c.found = append(c.found, fault{strings.TrimPrefix(path, "."), fmt.Sprintf(format, args...)})
	}
}

// token is called only where valid JSON has one.
func (c *conformer) token() json.Token {
	t, err := c.dec.Token()
	if err != nil {
		c.wrong("", "%v", err)
	}
	return t
}

// value reads one value. A nil type, or one that decodes itself, takes any.
func (c *conformer) value(path string, t reflect.Type, mayBeNull bool) {
	token := c.token()
	if token == nil {
		if t != nil && !mayBeNull && !nullable(t) {
			c.wrong(path, "it is null; want %s", kindName(t))
		}
		return
	}
	t = structure(t)
	got := kindOfToken(token)
	if t != nil && got != kindName(t) {
		c.wrong(path, "it is %s; want %s", got, kindName(t))
		t = nil
	}
	switch {
	case token == json.Delim('{') && t != nil && t.Kind() == reflect.Struct:
		c.members(path, t)
	case token == json.Delim('{'):
		c.object(path, t)
	case token == json.Delim('['):
		c.array(path, t)
	}
}

func (c *conformer) array(path string, t reflect.Type) {
	n := 0
	for ; c.dec.More(); n++ {
		c.value(fmt.Sprintf("%s[%d]", path, n), elem(t), false)
	}
	c.token()
	if t != nil && t.Kind() == reflect.Array && n != t.Len() {
		c.wrong(path, "it has %d items; want %d", n, t.Len())
	}
}

func (c *conformer) object(path string, t reflect.Type) {
	c.each(path, func(_, path string) { c.value(path, elem(t), false) })
}

func (c *conformer) members(path string, t reflect.Type) {
	fields, ok := c.known[t]
	if !ok {
		fields = fieldsOf(t)
		c.known[t] = fields
	}
	seen := c.each(path, func(name, path string) {
		m, ok := fields.named(name)
		if !ok {
			c.wrong(path, "unknown; the names are %s", fields)
		}
		c.value(path, m.typ, m.optional)
	})
	for _, m := range fields {
		if !m.optional && !seen[m.name] {
			c.wrong(path+"."+m.name, "missing")
		}
	}
}

// each reads the rest of an object, and returns the names in it.
func (c *conformer) each(path string, value func(name, path string)) map[string]bool {
	seen := make(map[string]bool)
	for c.dec.More() {
		name, _ := c.token().(string)
		if seen[name] {
			c.wrong(path+"."+name, "repeated")
		}
		seen[name] = true
		value(name, path+"."+name)
	}
	c.token()
	return seen
}
