package tool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// TOOL-E4, B062, B063, B066: what counts as arguments, for a tool without and
// with required fields.
func TestFormsOfArguments(t *testing.T) {
	free := listOf(t, echo(``))
	needs := listOf(t, echo(`{"type":"object","properties":{"q":{"type":"integer"}},"required":["q"]}`))
	for _, c := range []struct {
		name, text string
		free       string // what the tool without required fields gets; "" is an error
		needs      string // and the one with
	}{
		{"none", ``, `{}`, ``},
		{"blank", " \n\t", `{}`, ``},
		{"null", `null`, `{}`, ``},
		{"empty object", `{}`, `{}`, ``},
		{"object", ` {"q": 1} `, `{"q":1}`, `{"q":1}`},
		{"names in any order, at any depth", `{"z":[{"b":3.0,"a":1}],"q":1}`, `{"q":1,"z":[{"a":1,"b":3}]}`, `{"q":1,"z":[{"a":1,"b":3}]}`},
		{"text that holds an object", `"{\"q\": 1}"`, `{"q":1}`, `{"q":1}`},
		{"text that holds an object, blanks around", `" {\"q\":1} "`, `{"q":1}`, `{"q":1}`},
		{"wrapped twice", `"\"{\\\"q\\\":1}\""`, ``, ``},
		{"text that holds an array", `"[1]"`, ``, ``},
		{"text that holds a broken object", `"{\"q\":"`, ``, ``},
		{"plain text", `"q"`, ``, ``},
		{"empty text", `""`, ``, ``},
		{"no JSON", `q=1`, ``, ``},
		{"array", `[{"q":1}]`, ``, ``},
		{"number", `1`, ``, ``},
		{"true", `true`, ``, ``},
		{"cut", `{"q":1`, ``, ``},
		{"two objects", `{"q":1}{"q":2}`, ``, ``},
		{"a brace too many", `{"q":1}}`, ``, ``},
		{"single quotes", `{'q':1}`, ``, ``},
		{"the last of two counts, for the check and the tool", `{"q":"x","q":2}`, `{"q":2}`, `{"q":2}`},
		{"bytes that are no text", "{\"q\":1,\"s\":\"\xff\"}", `{"q":1,"s":"�"}`, `{"q":1,"s":"�"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for list, want := range map[*tool.List]string{free: c.free, needs: c.needs} {
				result := run(t, list, asks("echo", c.text))
				if want == "" {
					require.Equal(t, tool.BadArguments, result.Outcome)
					require.Contains(t, result.Text, "Nothing was run")
					continue
				}
				require.Equal(t, want, result.Text)
				require.Equal(t, tool.OK, result.Outcome)
			}
		})
	}
}

// B066: 0, false and null reach the tool as they are.
func TestEmptyValuesReachTheTool(t *testing.T) {
	list := listOf(t, echo(`{"type":"object","properties":{"n":{"type":"integer"},"all":{"type":"boolean"},"kind":{"type":["string","null"]}}}`))
	require.Equal(t, `{"all":false,"kind":null,"n":0}`, run(t, list, asks("echo", `{"n":0,"all":false,"kind":null}`)).Text)
}

// TOOL-18: all that is wrong is told at once, by field, with what was expected;
// neither policy nor function is reached.
func TestEveryFaultIsTold(t *testing.T) {
	reached := 0
	search := tool.New("search", "", func(context.Context, searchIn) (string, error) { reached++; return "", nil })
	policy := func(tool.Tool, tool.Call) tool.Verdict { reached++; return tool.Ask("") }
	list := listOf(t, search)
	check := list.Check(asks("search", `{"kinds":["code","prose"],"limit":500,"within":{"depth":"deep"},"sort":"up"}`), policy)
	require.Zero(t, reached)
	require.Equal(t, tool.BadArguments, check.Outcome)
	require.Empty(t, check.Ask)
	require.Equal(t, strings.Join([]string{
		"The arguments of search do not fit its schema. Nothing was run. Call again with this corrected:",
		`- kinds[1]: got "prose", want one of "code", "text"`,
		`- limit: got 500, want 100 or less`,
		`- query: missing, and required`,
		`- sort: not known here; known are kinds, limit, query, within`,
		`- within.depth: got string "deep", want integer`,
		`- within.path: missing, and required`,
	}, "\n"), check.Text)
	for range 20 { // the validator goes through maps
		require.Equal(t, check, list.Check(asks("search", `{"kinds":["code","prose"],"limit":500,"within":{"depth":"deep"},"sort":"up"}`), policy))
	}
}

// TOOL-18: every rule of a schema is told in words, and long lists are bounded.
func TestWordsOfFaults(t *testing.T) {
	for _, c := range []struct{ property, value, want string }{
		{`{"const":"a"}`, `"b"`, `x: got "b", want "a"`},
		{`{"type":"string","minLength":3}`, `"é"`, `x: got 1 characters, want 3 or more`},
		{`{"type":"string","maxLength":1}`, `"éé"`, `x: got 2 characters, want 1 or fewer`},
		{`{"type":"string","pattern":"^a"}`, `"b"`, `x: got "b", want a text that matches ^a`},
		{`{"exclusiveMinimum":0.5}`, `0.5`, `x: got 0.5, want more than 0.5`},
		{`{"exclusiveMaximum":3}`, `3`, `x: got 3, want less than 3`},
		{`{"multipleOf":5}`, `7`, `x: got 7, want a multiple of 5`},
		{`{"minItems":1}`, `[]`, `x: got 0 items, want 1 or more`},
		{`{"maxItems":1}`, `[1,2]`, `x: got 2 items, want 1 or fewer`},
		{`{"uniqueItems":true}`, `[1,1]`, `x: items 0 and 1 are equal, want no two alike`},
		{`{"minProperties":1}`, `{}`, `x: got 0 properties, want 1 or more`},
		{`{"maxProperties":1}`, `{"a":1,"b":2}`, `x: got 2 properties, want 1 or fewer`},
		{`{"anyOf":[{"type":"integer"},{"type":"null"}]}`, `"5"`, `x: got string "5", want integer or null`},
		{
			`{"anyOf":[{"type":"object","required":["a"]},{"type":"string"}]}`, `{}`,
			`x: fits none of the allowed forms: x.a: missing, and required; or x: got object, want string`,
		},
		{`{"oneOf":[{"minimum":1},{"minimum":2}]}`, `3`, `x: fits 2 of the allowed forms, want exactly one`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `x.b: missing, and required`},
		{`{"not":{"type":"string"}}`, `"s"`, `x: refused by the schema: 'not' failed`},
		{`{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, `x: refused by the schema: invalid propertyName 'ab'`},
		{`{"unevaluatedProperties":false}`, `{"a":1}`, `x.a: not allowed here`},
		{`{"if":true,"then":{"properties":{"b":{}},"additionalProperties":false}}`, `{"a":1}`, `x.a: not known here; known are b`},
		{`{"$ref":"#/properties/y"}`, `1`, `x: got number 1, want string`},
	} {
		list := listOf(t, echo(`{"properties":{"x":`+c.property+`,"y":{"type":"string"}}}`))
		check := list.Check(asks("echo", `{"x":`+c.value+`}`), nil)
		require.Equal(t, tool.BadArguments, check.Outcome, c.property)
		require.Equal(t, "- "+c.want, strings.SplitN(check.Text, "\n", 2)[1])
	}
	many := listOf(t, echo(`{"additionalProperties":false}`))
	var b strings.Builder
	for i := range 100 {
		b.WriteString(`,"p` + strings.Repeat("x", i) + `":1`)
	}
	text := many.Check(asks("echo", "{"+b.String()[1:]+"}"), nil).Text
	require.Equal(t, 22, strings.Count(text, "\n")+1)
	require.Contains(t, text, "- and 80 more")
}

// TOOL-E25: nesting, enum, defaults, additionalProperties; 3.0 is the integer 3;
// no digit is lost.
func TestValues(t *testing.T) {
	type in struct {
		N    int            `json:"n,omitempty"`
		Unit string         `json:"unit,omitempty" jsonschema:"enum=c,enum=k,default=c"`
		Raw  map[string]any `json:"raw,omitempty"`
	}
	typed := tool.New("echo", "", func(_ context.Context, in in) (any, error) { return in, nil })
	list := listOf(t, typed)
	for _, c := range []struct{ arguments, want string }{
		{`{"n":3.0}`, `{"n":3,"unit":"c"}`},
		{`{"n":30e-1}`, `{"n":3,"unit":"c"}`},
		{`{"n":-2.5E1,"unit":"k"}`, `{"n":-25,"unit":"k"}`},
		{`{"n":9007199254740993}`, `{"n":9007199254740993,"unit":"c"}`},
		{`{"n":9223372036854775807.0}`, `{"n":9223372036854775807,"unit":"c"}`},
		{`{"n":-0}`, `{"unit":"c"}`},
	} {
		require.Equal(t, c.want, run(t, list, asks("echo", c.arguments)).Text, c.arguments)
	}
	for arguments, want := range map[string]string{
		`{"n":3.5}`:                  "n: got number 3.5, want integer",
		`{"n":"3"}`:                  `n: got string "3", want integer`,
		`{"unit":"f"}`:               `unit: got "f", want one of "c", "k"`,
		`{"other":1}`:                "other: not known here; known are n, raw, unit",
		`{"n":9223372036854775808}`:  "n: can't be used: number 9223372036854775808 does not fit int",
		`{"n":1e25}`:                 "n: can't be used: number 1e25 does not fit int",
		`{"raw":{"x":1e999999999}}`:  "the number 1e999999999 is out of range",
		`{"raw":{"x":1e-999999999}}`: "the number 1e-999999999 is out of range",
		`{"N":1}`:                    "N: not known here",
	} {
		check := list.Check(asks("echo", arguments), nil)
		require.Equal(t, tool.BadArguments, check.Outcome, arguments)
		require.Contains(t, check.Text, want)
	}
	free := listOf(t, echo(``))
	for in, want := range map[string]string{
		`{"b":123456789012345678901234567890, "a":0.1}`: `{"a":0.1,"b":123456789012345678901234567890}`,
		`{"x":1.50}`:                         `{"x":1.50}`,
		`{"x":[1.0,1e2,12e-1,0.00,-0.0,-0]}`: `{"x":[1,100,12e-1,0,0,0]}`,
		`{"x":"<a & b>"}`:                    `{"x":"\u003ca \u0026 b\u003e"}`,
	} {
		check := free.Check(asks("echo", in), nil)
		require.Equal(t, want, string(check.Arguments))
		stored, err := json.Marshal(check)
		require.NoError(t, err)
		var back tool.Check
		require.NoError(t, json.Unmarshal(stored, &back))
		require.Equal(t, check, back, "the record of a check is the check")
	}
}

// TOOL-E25: defaults are filled in where the schema takes them, also below and
// in place of a required field; one that is at odds with the rest is not.
func TestDefaults(t *testing.T) {
	list := listOf(t, echo(`{"$defs":{"w":{"type":"object","properties":{"deep":{"type":"integer","default":2}}}},
		"properties":{"must":{"type":"string","default":"m"},"bad":{"type":"integer","default":"x"},
		"in":{"$ref":"#/$defs/w"},"all":{"type":"array","items":{"$ref":"#/$defs/w"}}},"required":["must"]}`))
	require.Equal(t, `{"all":[{"deep":2},{"deep":1}],"in":{"deep":2},"must":"m"}`,
		run(t, list, asks("echo", `{"in":{},"all":[{},{"deep":1}]}`)).Text)

	either := listOf(t, echo(`{"properties":{"a":{"default":1},"b":{}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`))
	require.Equal(t, `{"b":2}`, run(t, either, asks("echo", `{"b":2}`)).Text)
	require.Equal(t, `{"a":1}`, run(t, either, asks("echo", ``)).Text)
}

// B065, TOOL-E25: conversion of texts, off by default.
func TestConvert(t *testing.T) {
	schema := `{"type":"object","properties":{"n":{"type":"integer"},"x":{"type":"number"},"on":{"type":"boolean"},
		"tags":{"type":"array","items":{"type":"string"}},"ns":{"type":"array","items":{"type":"integer"}},
		"opt":{"type":"object","properties":{"a":{"type":"string"}}},"text":{"type":"string"},
		"maybe":{"anyOf":[{"type":"integer"},{"type":"null"}]},"either":{"type":["string","integer"]}}}`
	plainly := echo(schema)
	converting := plainly
	converting.Convert = true
	off, on := listOf(t, plainly), listOf(t, converting)
	for _, c := range []struct{ in, on string }{ // an empty on is an error there too
		{`{"n":"5","tags":"[\"x\"]","opt":"{\"a\":\"b\"}"}`, `{"n":5,"opt":{"a":"b"},"tags":["x"]}`},
		{`{"n":"3"}`, `{"n":3}`},
		{`{"n":"3.0"}`, `{"n":3}`},
		{`{"n":" -7 "}`, `{"n":-7}`},
		{`{"x":"2.50"}`, `{"x":2.50}`},
		{`{"n":"9007199254740993"}`, `{"n":9007199254740993}`},
		{`{"on":"true"}`, `{"on":true}`},
		{`{"ns":"[\"1\",2]"}`, `{"ns":[1,2]}`},
		{`{"ns":["1","2"]}`, `{"ns":[1,2]}`},
		{`{"maybe":"4"}`, `{"maybe":4}`},
		{`{"n":"3.5"}`, ``},
		{`{"n":"three"}`, ``},
		{`{"n":""}`, ``},
		{`{"n":"03"}`, ``},
		{`{"n":"0x10"}`, ``},
		{`{"n":"[3]"}`, ``},
		{`{"on":"yes"}`, ``},
		{`{"on":"1"}`, ``},
		{`{"on":1}`, ``},
		{`{"text":5}`, ``},
		{`{"maybe":"null"}`, ``},
		{`{"x":"1e999999999"}`, ``},
	} {
		check := off.Check(asks("echo", c.in), nil)
		require.Equal(t, tool.BadArguments, check.Outcome, c.in)
		check = on.Check(asks("echo", c.in), nil)
		if c.on == "" {
			require.Equal(t, tool.BadArguments, check.Outcome, c.in)
			continue
		}
		require.Equal(t, tool.OK, check.Outcome, c.in+check.Text)
		require.Equal(t, c.on, string(check.Arguments))
	}
	for _, kept := range []string{`{"text":"[1,2]"}`, `{"text":"5"}`, `{"either":"5"}`, `{"text":"null"}`} {
		require.Equal(t, kept, string(off.Check(asks("echo", kept), nil).Arguments))
		require.Equal(t, kept, string(on.Check(asks("echo", kept), nil).Arguments))
	}
	named := off.Check(asks("echo", `{"n":"5","tags":"[\"x\"]","opt":"{\"a\":\"b\"}"}`), nil).Text
	for _, field := range []string{"- n: got string", "- tags: got string", "- opt: got string"} {
		require.Contains(t, named, field)
	}
}

// Schemas of older drafts mean what they meant.
func TestOlderDrafts(t *testing.T) {
	list := listOf(t, echo(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",
		"properties":{"pair":{"type":"array","items":[{"type":"string"},{"type":"integer"}],"additionalItems":false}},
		"dependencies":{"a":["pair"]}}`))
	require.Equal(t, tool.OK, run(t, list, asks("echo", `{"a":1,"pair":["x",1]}`)).Outcome)
	text := run(t, list, asks("echo", `{"a":1}`)).Text
	require.Contains(t, text, "pair: missing")
	text = run(t, list, asks("echo", `{"pair":["x","y",3]}`)).Text
	require.Contains(t, text, "pair[1]: got string \"y\", want integer")
	old := listOf(t, echo(`{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"n":{"minimum":1,"exclusiveMinimum":true}}}`))
	require.Equal(t, tool.BadArguments, run(t, old, asks("echo", `{"n":1}`)).Outcome)
}

// Arguments that are run are those that were checked: typed functions get them decoded.
func TestTypedFunctionGetsWhatWasChecked(t *testing.T) {
	var got searchIn
	list := listOf(t, tool.New("search", "", func(_ context.Context, in searchIn) (string, error) {
		got = in
		return "ok", nil
	}))
	require.Equal(t, "ok", run(t, list, llm.ToolCall{Name: "search", Arguments: searchArguments}).Text)
	require.Equal(t, "needle", got.Query)
	require.Equal(t, 3, got.Within.Depth)
}
