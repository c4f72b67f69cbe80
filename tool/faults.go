package tool

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// A fault is one thing wrong with the arguments of a call.
type fault struct {
	path      string // such as filters[0].name
	rule      string // the keyword that refuses it; see [Texts.Faults]
	got, want string
	forms     [][]fault // of anyOf and oneOf: what is wrong with each form
}

// maxFaults bounds what the model is told at once.
const maxFaults = 20

// badArguments returns what the model is told about faults, all of them.
func (t *Texts) badArguments(name string, faults []fault) string {
	lines := make([]string, len(faults))
	for i, f := range faults {
		lines[i] = fill(t.Fault, "path", f.path, "fault", t.fault(f))
	}
	slices.Sort(lines) // the validator goes through maps
	lines = slices.Compact(lines)
	if more := len(lines) - maxFaults; more > 0 {
		lines = append(lines[:maxFaults], fill(t.MoreFaults, "count", strconv.Itoa(more)))
	}
	return fill(t.BadArguments, "name", name, "faults", strings.Join(lines, "\n"))
}

func (t *Texts) fault(f fault) string {
	words, ok := t.Faults[f.rule]
	if !ok {
		words, f.want = t.Faults[""], f.rule
	}
	if len(f.forms) > 0 {
		forms := make([]string, len(f.forms))
		for i, form := range f.forms {
			var said []string
			for _, inner := range form {
				said = append(said, inner.path+": "+t.fault(inner))
			}
			slices.Sort(said)
			forms[i] = strings.Join(said, ", ")
		}
		f.want = strings.Join(forms, "; or ")
	}
	return fill(words, "got", f.got, "want", f.want)
}

// faultsOf returns the faults in err, the validator's verdict on v.
func (s *schema) faultsOf(err *jsonschema.ValidationError, v any) []fault {
	f := fault{path: path(err.InstanceLocation, v)}
	got := short(at(err.InstanceLocation, v))
	switch k := err.ErrorKind.(type) {
	case *kind.Required:
		return each(f, "required", k.Missing)
	case *kind.DependentRequired:
		return each(f, "required", k.Missing)
	case *kind.Dependency:
		return each(f, "required", k.Missing)
	case *kind.AdditionalProperties:
		f.want = s.names(err.SchemaURL)
		return each(f, "additionalProperties", k.Properties)
	case *kind.AnyOf:
		return s.choice(f, "anyOf", got, err, v)
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			f.rule, f.got = "oneOf", strconv.Itoa(len(k.Subschemas))
			return []fault{f}
		}
		return s.choice(f, "anyOf", got, err, v)
	case *kind.Type:
		f.rule, f.got, f.want = "type", described(k.Got, got), strings.Join(k.Want, " or ")
	case *kind.Enum:
		f.rule, f.got, f.want = "enum", got, list(k.Want)
	case *kind.Const:
		f.rule, f.got, f.want = "const", got, short(k.Want)
	case *kind.Format:
		f.rule, f.got, f.want = "format", got, k.Want
	case *kind.Pattern:
		f.rule, f.got, f.want = "pattern", got, k.Want
	case *kind.Minimum:
		f.rule, f.got, f.want = "minimum", got, ratio(k.Want)
	case *kind.Maximum:
		f.rule, f.got, f.want = "maximum", got, ratio(k.Want)
	case *kind.ExclusiveMinimum:
		f.rule, f.got, f.want = "exclusiveMinimum", got, ratio(k.Want)
	case *kind.ExclusiveMaximum:
		f.rule, f.got, f.want = "exclusiveMaximum", got, ratio(k.Want)
	case *kind.MultipleOf:
		f.rule, f.got, f.want = "multipleOf", got, ratio(k.Want)
	case *kind.MinLength:
		f.rule, f.got, f.want = "minLength", strconv.Itoa(k.Got), strconv.Itoa(k.Want)
	case *kind.MaxLength:
		f.rule, f.got, f.want = "maxLength", strconv.Itoa(k.Got), strconv.Itoa(k.Want)
	case *kind.MinItems:
		f.rule, f.got, f.want = "minItems", strconv.Itoa(k.Got), strconv.Itoa(k.Want)
	case *kind.MaxItems:
		f.rule, f.got, f.want = "maxItems", strconv.Itoa(k.Got), strconv.Itoa(k.Want)
	case *kind.MinProperties:
		f.rule, f.got, f.want = "minProperties", strconv.Itoa(k.Got), strconv.Itoa(k.Want)
	case *kind.MaxProperties:
		f.rule, f.got, f.want = "maxProperties", strconv.Itoa(k.Got), strconv.Itoa(k.Want)
	case *kind.FalseSchema:
		f.rule = "false"
	case *kind.UniqueItems:
		f.rule, f.got = "uniqueItems", fmt.Sprintf("%d and %d", k.Duplicates[0], k.Duplicates[1])
	default:
		return s.inner(f, err, v)
	}
	return []fault{f}
}

// inner returns the faults below err, or err itself in the validator's words.
func (s *schema) inner(f fault, err *jsonschema.ValidationError, v any) []fault {
	var faults []fault
	for _, cause := range err.Causes {
		if _, ok := err.ErrorKind.(*kind.PropertyNames); ok {
			break // its causes are about the name, not about the value at their path
		}
		faults = append(faults, s.faultsOf(cause, v)...)
	}
	if len(faults) == 0 {
		f.rule = err.ErrorKind.LocalizedString(message.NewPrinter(language.English))
		faults = append(faults, f)
	}
	return faults
}

// choice returns the fault of a value that fits none of several forms. Where
// they differ in type only, the types are what is wanted.
func (s *schema) choice(f fault, rule, got string, err *jsonschema.ValidationError, v any) []fault {
	f.rule = rule
	types := make([]string, 0, len(err.Causes))
	for _, cause := range err.Causes {
		if k, ok := cause.ErrorKind.(*kind.Type); ok && len(cause.InstanceLocation) == len(err.InstanceLocation) {
			types = append(types, k.Want...)
		}
		f.forms = append(f.forms, s.faultsOf(cause, v))
	}
	if len(types) >= len(err.Causes) && len(types) > 0 {
		return []fault{{path: f.path, rule: "type", got: described(kindOf(at(err.InstanceLocation, v)), got), want: strings.Join(types, " or ")}}
	}
	return []fault{f}
}

// each returns a fault for each of the properties names of f's object.
func each(f fault, rule string, names []string) []fault {
	faults := make([]fault, len(names))
	for i, name := range names {
		faults[i] = fault{path: join(f.path, name), rule: rule, want: f.want}
	}
	return faults
}

// names lists the properties that the schema at location knows.
func (s *schema) names(location string) string {
	names := slices.Sorted(slices.Values(s.known[location]))
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

const root = "arguments"

func path(location []string, v any) string {
	p := root
	for _, step := range location {
		if items, ok := v.([]any); ok {
			i, _ := strconv.Atoi(step)
			p, v = p+"["+step+"]", items[i]
			continue
		}
		object, _ := v.(map[string]any)
		p, v = join(p, step), object[step]
	}
	return p
}

func join(path, name string) string {
	if path == root {
		return name
	}
	return path + "." + name
}

func at(location []string, v any) any {
	for _, step := range location {
		switch in := v.(type) {
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(in) {
				return nil
			}
			v = in[i]
		case map[string]any:
			v = in[step]
		}
	}
	return v
}

// described returns a type with the value, where that says more.
func described(kind, value string) string {
	if kind == "null" || kind == "object" || kind == "array" {
		return kind
	}
	return kind + " " + value
}

// short returns v as JSON, in its first 80 characters.
func short(v any) string {
	text := asJSON(v)
	if runes := []rune(text); len(runes) > 80 {
		return string(runes[:80]) + "..."
	}
	return text
}

func list(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = short(v)
	}
	return strings.Join(texts, ", ")
}

func ratio(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}
