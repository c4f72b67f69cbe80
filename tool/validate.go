package tool

import (
	"encoding/json"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/message"
)

// validate checks a call's arguments. It returns them as they are to be used,
// or all that is wrong with them.
func (e *entry) validate(object map[string]any) (json.RawMessage, []fault) {
	enc := encoder{out: make([]byte, 0, 128)}
	enc.object(object)
	if enc.outer != "" {
		return nil, []fault{{path: root, rule: "number", got: shorten(enc.outer)}}
	}
	v, changed, err := e.schema.settle(object, e.tool.Convert)
	if err != nil {
		return nil, e.schema.faultsOf(err, v)
	}
	if changed {
		enc.out = enc.out[:0]
		enc.put(v)
	}
	if p := e.tool.probe; p.decode != nil && (p.always || enc.wide) {
		if faults := p.try(enc.out); len(faults) > 0 {
			return nil, faults
		}
	}
	return enc.out, nil
}

// settle returns v with defaults filled in and, if convert, texts converted,
// whether that changed it, and what is still wrong with it.
func (s *schema) settle(v any, convert bool) (_ any, changed bool, err *jsonschema.ValidationError) {
	given := v
	if len(s.defaults) > 0 {
		v, changed = s.fill(s.Schema, v)
	}
	err = s.check(v)
	if err != nil && changed && s.check(given) == nil {
		return given, false, nil // a default that is at odds with the rest is left out
	}
	for err != nil && convert && s.convert(v, err) {
		changed, err = true, s.check(v)
	}
	return v, changed, err
}

// check validates v. A panic of the validator refuses it.
func (s *schema) check(v any) (fault *jsonschema.ValidationError) {
	defer func() {
		if p := recover(); p != nil {
			fault = &jsonschema.ValidationError{ErrorKind: unchecked{p}}
		}
	}()
	err := s.Validate(v)
	if err == nil {
		return nil
	}
	return err.(*jsonschema.ValidationError) // as documented
}

// unchecked is the kind of a validation that could not be done.
type unchecked struct{ panic any }

func (unchecked) KeywordPath() []string                     { return nil }
func (u unchecked) LocalizedString(*message.Printer) string { return fmt.Sprint(u.panic) }
