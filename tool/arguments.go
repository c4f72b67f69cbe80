package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// parse decodes the arguments of a call as the model wrote them. None, blank
// ones and null are an empty object; a JSON string that holds an object is
// unwrapped once. Nothing else but an object will do, and nothing is repaired.
func parse(text string) (map[string]any, error) {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if text = strings.TrimSpace(text); text == "" || text == "null" {
		return map[string]any{}, nil
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, syntax(err)
	}
	if s, ok := v.(string); ok && strings.HasPrefix(strings.TrimSpace(s), "{") {
		if v, err = jsonschema.UnmarshalJSON(strings.NewReader(s)); err != nil {
			return nil, fmt.Errorf("a JSON text that holds an object: %w", syntax(err))
		}
	}
	if object, ok := v.(map[string]any); ok {
		return object, nil
	}
	return nil, fmt.Errorf("got %s", kindOf(v))
}

func syntax(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends too early")
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("%w, at byte %d", err, e.Offset)
	}
	return err
}

// kindOf returns the name of v's type in JSON.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

// An encoder writes values in the one form in which arguments are kept: names
// sorted, no blanks, each number that is whole as its digits (3.0 as 3), so
// that equal arguments are equal bytes. Texts are escaped as [json.Marshal]
// does it, so that the bytes stay the same within other JSON.
type encoder struct {
	out   []byte
	wide  bool   // a number was met that may not fit a Go type
	outer string // the first number that no machine should count with
}

func (e *encoder) put(v any) {
	switch v := v.(type) {
	case nil:
		e.out = append(e.out, "null"...)
	case bool:
		e.out = strconv.AppendBool(e.out, v)
	case json.Number:
		e.number(string(v))
	case string:
		e.out = appendString(e.out, v)
	case []any:
		e.out = append(e.out, '[')
		for i, item := range v {
			if i > 0 {
				e.out = append(e.out, ',')
			}
			e.put(item)
		}
		e.out = append(e.out, ']')
	case map[string]any:
		e.object(v)
	}
}

func (e *encoder) object(v map[string]any) {
	var few [8]string
	names := few[:0]
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	e.out = append(e.out, '{')
	for i, name := range names {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.out = append(appendString(e.out, name), ':')
		e.put(v[name])
	}
	e.out = append(e.out, '}')
}

// number writes a number: whole ones up to 20 digits as digits, all others as
// they came. No digit is lost.
func (e *encoder) number(n string) {
	e.wide = e.wide || len(n) > 15 || strings.ContainsAny(n, "eE")
	if strings.ContainsAny(n, ".eE") {
		if _, exponent, ok := strings.Cut(strings.ToLower(n), "e"); ok {
			if x, err := strconv.Atoi(exponent); (err != nil || x > maxExponent || x < -maxExponent) && e.outer == "" {
				e.outer = n
			}
		}
		if digits, ok := whole(n); ok {
			n = digits
		}
	}
	if n == "-0" {
		n = "0"
	}
	e.out = append(e.out, n...)
}

// maxExponent bounds the exponent of a number: a few characters must not cost
// megabytes when they are compared.
const maxExponent = 400

// whole returns the digits of a number that is written with a fraction or an
// exponent and is whole all the same.
func whole(n string) (string, bool) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(n), "e")
	shift := 0
	if exponent != "" {
		var err error
		if shift, err = strconv.Atoi(exponent); err != nil || shift > 20 || shift < -maxExponent {
			return "", false
		}
	}
	left, right, _ := strings.Cut(mantissa, ".")
	sign := ""
	if strings.HasPrefix(left, "-") {
		sign, left = "-", left[1:]
	}
	digits := left + right
	point := len(left) + shift // its place in digits
	for ; point > len(digits); digits += "0" {
	}
	if point < 0 {
		digits, point = strings.Repeat("0", -point)+digits, 0
	}
	if strings.Trim(digits[point:], "0") != "" {
		return "", false
	}
	digits = strings.TrimLeft(digits[:point], "0")
	switch {
	case digits == "":
		return "0", true
	case len(digits) > 20:
		return "", false
	}
	return sign + digits, true
}

// appendString appends s as json.Marshal writes it.
func appendString(out []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c >= utf8.RuneSelf {
			text, _ := json.Marshal(s) // a string never fails
			return append(out, text...)
		}
	}
	out = append(out, '"')
	out = append(out, s...)
	return append(out, '"')
}

// readable returns arguments as a person reads them, without the escapes that
// only browsers need.
func readable(arguments json.RawMessage) string {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
	if err != nil {
		return string(arguments)
	}
	return asJSON(v)
}

// asJSON returns v as JSON for readers; the error's text if it can't be.
func asJSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}
