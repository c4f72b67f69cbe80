package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A schema is the compiled schema of a tool's arguments.
type schema struct {
	*jsonschema.Schema
	shown    json.RawMessage             // what a model is told
	defaults map[*jsonschema.Schema]bool // properties with a default that they take themselves
	known    map[string][]string         // names of the properties, by location of the object's schema
}

// schemaURL names the one document that a compiler knows; it is never loaded.
const schemaURL = "tool:///arguments"

// compile makes a validator of raw. Schemas of foreign tools may be of draft 4
// to 2020-12 ($schema says which; 2020-12 if nothing is said). They refer to
// themselves alone. A pattern that Go's regular expressions can't hold is not
// checked, and neither is an unknown format.
func compile(raw json.RawMessage) (_ *schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("compiling it: %v", p)
		}
	}()
	shown, err := show(raw)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(raw)) == 0 || string(bytes.TrimSpace(raw)) == "null" {
		raw = shown
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	repair(doc)
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(pattern)
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(schemaURL)
	if err != nil {
		return nil, err
	}
	s := &schema{Schema: compiled, shown: shown, known: map[string][]string{}, defaults: map[*jsonschema.Schema]bool{}}
	s.look(compiled, map[*jsonschema.Schema]bool{})
	return s, nil
}

// noLoader keeps the compiler from reading files and the net.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("it refers to another document")
}

// pattern compiles a regular expression, or one that takes everything.
func pattern(expr string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return anything(expr), nil
	}
	return re, nil
}

type anything string

func (anything) MatchString(string) bool { return true }
func (a anything) String() string        { return string(a) }

// repair takes out of doc's root what foreign schemas get wrong and would keep
// the rest from being checked: null properties, and a dialect that nobody knows.
func repair(doc any) {
	root, ok := doc.(map[string]any)
	if !ok {
		return
	}
	if p, ok := root["properties"]; ok && p == nil {
		delete(root, "properties")
	}
	if d, ok := root["$schema"].(string); ok && !knownDialect.MatchString(d) {
		delete(root, "$schema")
	}
}

var knownDialect = regexp.MustCompile(`^https?://json-schema\.org/(draft-0[467]/schema|draft/20(19-09|20-12)/schema|schema)#?$`)

// look notes what of the compiled schema is needed later.
func (s *schema) look(in *jsonschema.Schema, seen map[*jsonschema.Schema]bool) {
	if in == nil || seen[in] {
		return
	}
	seen[in] = true
	for name, p := range in.Properties {
		s.known[in.Location] = append(s.known[in.Location], name)
		if p.Default != nil && p.Validate(*p.Default) == nil {
			s.defaults[p] = true
		}
		s.look(p, seen)
	}
	for _, p := range in.PatternProperties {
		s.look(p, seen)
	}
	for _, p := range in.DependentSchemas {
		s.look(p, seen)
	}
	for _, p := range []*jsonschema.Schema{in.Ref, in.Items2020, in.Contains, in.If, in.Then, in.Else} {
		s.look(p, seen)
	}
	for _, list := range [][]*jsonschema.Schema{in.AllOf, in.AnyOf, in.OneOf, in.PrefixItems} {
		for _, p := range list {
			s.look(p, seen)
		}
	}
	for _, p := range []any{in.Items, in.AdditionalProperties} {
		if p, ok := p.(*jsonschema.Schema); ok {
			s.look(p, seen)
		}
	}
}

// show returns raw as a model is told it: an object schema, always with
// properties, and without $schema. Order and all else are kept. It is checked
// as it was given.
func show(raw json.RawMessage) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage(`{"type":"object","properties":{}}`), nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, errors.Join(errors.New("not a JSON object"), err)
	}
	out, typed, properties := []byte{'{'}, false, false
	put := func(key string, value []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(appendString(out, key), ':')
		out = append(out, value...)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		switch key {
		case "$schema":
			continue
		case "type":
			if !bytes.Contains(value, []byte(`"object"`)) {
				return nil, fmt.Errorf("it wants %s: arguments are an object", value)
			}
			typed, value = true, json.RawMessage(`"object"`)
		case "properties":
			if string(value) == "null" {
				continue
			}
			properties = true
		}
		put(key.(string), value)
	}
	if !typed {
		put("type", []byte(`"object"`))
	}
	if !properties {
		put("properties", []byte("{}"))
	}
	return append(out, '}'), nil
}
