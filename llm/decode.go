package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// A DecodeError is a reply that is not the value asked for.
type DecodeError struct {
	Path string // the place in the value, such as tasks[2].id; empty for all of it
	Text string // of the reply
	Err  error  // what is wrong there
}

// Error implements error.
func (e *DecodeError) Error() string { return "llm: decoding reply: " + e.Fault() }

// Unwrap returns what is wrong.
func (e *DecodeError) Unwrap() error { return e.Err }

// Fault says what is wrong and where, in words that a model can act on.
func (e *DecodeError) Fault() string {
	if e.Path == "" {
		return e.Err.Error()
	}
	return e.Path + ": " + e.Err.Error()
}

// Decode returns the value that the reply's text is, or a [*DecodeError]; it
// never returns half a value. It is as strict as the schema that T stands for:
//
//   - The text is one JSON value with nothing but white space around it, and
//     the reply was not cut by the output limit, refused or broken off.
//   - Names of members are spelled as T spells them. Unknown ones are refused:
//     one that is misspelled would else be lost in silence. So are repeated
//     ones, of which readers disagree which one counts.
//   - Every field without omitempty or omitzero is there. Null stands for a
//     value only where the field is a pointer or an interface, and counts as
//     left out where the field may be; all of the text is never null.
//   - If T or *T has Validate() error, it returns nil.
//
// A type that decodes itself (json.Unmarshaler, encoding.TextUnmarshaler) is
// only held to the first rule and to members that are not repeated.
func Decode[T any](reply Reply) (T, error) {
	var value, none T
	text := reply.Message.Text()
	if err := whole(reply); err != nil {
		return none, &DecodeError{Text: text, Err: err}
	}
	if path, err := decode([]byte(text), &value); err != nil {
		return none, &DecodeError{Path: path, Text: text, Err: err}
	}
	if err := validate(&value); err != nil {
		return none, &DecodeError{Text: text, Err: err}
	}
	return value, nil
}

// whole refuses replies of which even a valid text is not the answer.
func whole(reply Reply) error {
	switch reply.Finish {
	case FinishLength:
		return errors.New("the reply was cut by the output limit")
	case FinishRefused:
		return fmt.Errorf("the model would not answer: %w", ErrRefused)
	case FinishError, FinishAborted:
		return fmt.Errorf("the reply ended with %q", reply.Finish)
	}
	return nil
}

// decode returns the place of a fault with it.
func decode(data []byte, value any) (path string, err error) {
	// Checked first, since this also bounds how deep the value is nested.
	var raw json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return "", fmt.Errorf("the text is not one JSON value alone: %w", err)
	}
	if faults := conform(raw, reflect.TypeOf(value).Elem()); faults != nil {
		return faults[0].path, faults
	}
	err = json.Unmarshal(data, value)
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return e.Field, fmt.Errorf("it is a %s, which %s cannot hold", e.Value, e.Type)
	}
	return "", err
}

func validate[T any](value *T) error {
	type validator interface{ Validate() error }
	if v, ok := any(*value).(validator); ok {
		return v.Validate()
	}
	if v, ok := any(value).(validator); ok {
		return v.Validate()
	}
	return nil
}
