package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// fill returns v with the defaults of properties that it lacks, and whether it
// lacked any. V itself is left as it is.
func (s *schema) fill(in *jsonschema.Schema, v any) (_ any, changed bool) {
	for range 16 { // a chain of references may be a ring
		if in == nil || in.Ref == nil {
			break
		}
		in = in.Ref
	}
	if in == nil {
		return v, false
	}
	switch v := v.(type) {
	case map[string]any:
		filled := v
		put := func(name string, value any) {
			if !changed {
				filled, changed = maps.Clone(v), true
			}
			filled[name] = value
		}
		for name, p := range in.Properties {
			value, ok := v[name]
			switch {
			case !ok && s.defaults[p]:
				put(name, *p.Default)
			case ok:
				if value, ok = s.fill(p, value); ok {
					put(name, value)
				}
			}
		}
		return filled, changed
	case []any:
		items := in.Items2020
		if of, ok := in.Items.(*jsonschema.Schema); ok {
			items = of
		}
		filled := v
		for i := range v {
			if value, ok := s.fill(items, v[i]); ok {
				if !changed {
					filled, changed = slices.Clone(v), true
				}
				filled[i] = value
			}
		}
		return filled, changed
	}
	return v, false
}

// convert changes texts in v, in place, that err says should be of another
// type, into a value of that type, where nothing is lost: "3" is 3, "[1]" is
// [1], "three" stays. It tells whether it changed any.
func (s *schema) convert(v any, err *jsonschema.ValidationError) (changed bool) {
	for _, cause := range err.Causes {
		changed = s.convert(v, cause) || changed
	}
	k, ok := err.ErrorKind.(*kind.Type)
	if !ok || k.Got != "string" || len(err.InstanceLocation) == 0 {
		return changed
	}
	text, ok := at(err.InstanceLocation, v).(string)
	if !ok {
		return changed // another cause has converted it
	}
	value, ok := meant(text, k.Want)
	if !ok {
		return changed
	}
	last := len(err.InstanceLocation) - 1
	switch in := at(err.InstanceLocation[:last], v).(type) {
	case map[string]any:
		in[err.InstanceLocation[last]] = value
	case []any:
		i, _ := strconv.Atoi(err.InstanceLocation[last])
		in[i] = value
	}
	return true
}

// meant returns the JSON value in text, if it is of one of the types.
func meant(text string, types []string) (any, bool) {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, false
	}
	var e encoder
	if e.put(v); e.outer != "" {
		return nil, false
	}
	is := kindOf(v)
	switch is {
	case "string", "null":
		return nil, false
	case "number":
		digits := !strings.ContainsAny(string(e.out), ".eE")
		return v, slices.Contains(types, "number") || digits && slices.Contains(types, "integer")
	}
	return v, slices.Contains(types, is)
}

// undecodable returns the fault of arguments that the schema takes and the
// function's type does not.
func undecodable(err error) fault {
	f := fault{path: root, rule: "decode", got: err.Error()}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if e.Field != "" {
			f.path = e.Field
		}
		f.got = fmt.Sprintf("%s does not fit %s", e.Value, e.Type)
	}
	return f
}
