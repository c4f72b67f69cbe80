package plan_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/plan"
)

// shape shows tasks in a line: "task_1 do it (task_2)".
func shape(tasks []plan.Task) string {
	var out []string
	for _, t := range tasks {
		s := t.ID
		if t.Description != "" {
			s += " " + t.Description
		}
		if t.Tool != "" {
			s += " " + t.Tool + string(t.Arguments)
		}
		if len(t.Dependencies) > 0 {
			s += " (" + strings.Join(t.Dependencies, ",") + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

const (
	one = `{"tasks":[{"id":"a","description":"do a"}]}`
	two = `{"tasks":[{"id":"a","description":"do a"},{"id":"b","description":"do b","dependencies":["a"]}]}`

	shapeOne = "task_1 do a"
	shapeTwo = "task_1 do a; task_2 do b (task_1)"
)

// PLAN-02, PLAN-31, PLAN-33: replies as models write them, and what is read.
func TestGoodReplies(t *testing.T) {
	fence := "```"
	for name, c := range map[string]struct{ reply, want string }{
		"bare":                              {two, shapeTwo},
		"B180: a fence marked json":         {fence + "json\n" + two + "\n" + fence, shapeTwo},
		"B180: a plain fence":               {fence + "\n" + two + "\n" + fence, shapeTwo},
		"B180: a fence that never ends":     {fence + "json\n" + two, shapeTwo},
		"B181: prose before and after":      {"Here is the plan:\n" + two + "\nSee [docs] and {notes}.", shapeTwo},
		"B181: brackets before":             {"I use {braces} and [lists], even {\"quoted\"}, so: " + two, shapeTwo},
		"B181: another object before":       {`As in {"id":"x"}: ` + one, shapeOne},
		"B181: an open bracket before":      {`Mind the { in it. ` + one, shapeOne},
		"B181: an open text before":         {`Say {"hi there. ` + one, shapeOne},
		"a byte order mark":                 {"\ufeff" + one, shapeOne},
		"white space and line ends":         {"\r\n\t " + strings.ReplaceAll(two, ",", ",\r\n  ") + "\r\n", shapeTwo},
		"B188: numbers for ids":             {`{"tasks":[{"id":1,"description":"x"},{"id":2,"description":"y","dependencies":[1]},{"id":14.5,"description":"z","dependencies":["2",1]},{"id":14,"description":"w","dependencies":["14.5"]}]}`, "task_1 x; task_2 y (task_1); task_3 z (task_2,task_1); task_4 w (task_3)"},
		"exact text of numbers":             {`{"tasks":[{"id":2,"description":"x"},{"id":2.0,"description":"y"},{"id":"02","description":"z","dependencies":[2.0]}]}`, "task_1 x; task_2 y; task_3 z (task_2)"},
		"B187: null dependencies":           {`{"tasks":[{"id":"a","description":"do a","dependencies":null}]}`, shapeOne},
		"forward references":                {`{"tasks":[{"id":"b","description":"do b","dependencies":["a"]},{"id":"a","description":"do a"}]}`, "task_1 do b (task_2); task_2 do a"},
		"dependencies named twice":          {`{"tasks":[{"id":"a","description":"do a"},{"id":"b","description":"do b","dependencies":["a","a"]}]}`, shapeTwo},
		"Chinese":                           {`好的，计划如下：{"tasks":[{"id":"调研","description":"查找资料：「北京」"},{"id":"写","description":"写报告","dependencies":["调研"]}]}。请审核。`, "task_1 查找资料：「北京」; task_2 写报告 (task_1)"},
		"escapes":                           {`{"tasks":[{"id":"\u0061","description":"say \"{\\\"tasks\\\":[]}\" \ud83d\ude00"}]}`, `task_1 say "{\"tasks\":[]}" 😀`},
		"a fence in a description":          {fence + "json\n" + `{"tasks":[{"id":"a","description":"write:\n` + fence + `go\nfunc main() {}\n` + fence + `"}]}` + "\n" + fence, "task_1 write:\n" + fence + "go\nfunc main() {}\n" + fence},
		"a plan in a description":           {`{"tasks":[{"id":"a","description":"{\"tasks\":[{\"id\":\"x\"}]}"}]}`, `task_1 {"tasks":[{"id":"x"}]}`},
		"a plan in a field":                 {`{"tasks":[{"id":"a","description":"do a","sub":` + two + `}]}`, shapeOne},
		"fields that nobody knows":          {`{"goal":"g","tasks":[{"id":"a","description":"do a","priority":1,"Description":"no"}],"notes":["x"]}`, shapeOne},
		"a type":                            {`{"tasks":[{"id":"a","description":"do a","type":"code"}]}`, shapeOne},
		"null for type and tools":           {`{"tasks":[{"id":"a","description":"do a","type":null,"tools":null}]}`, shapeOne},
		"thinking aloud with an empty list": {"First [] then {} and {\"a\":[1,{\"b\":2}]}.\n" + one, shapeOne},
		"a broken plan, then a whole one":   {`{"tasks":[{"id":"a",}]} Sorry, again: ` + two, shapeTwo},
		"ids that look like ours":           {`{"tasks":[{"id":"task_2","description":"x"},{"id":"task_1","description":"y","dependencies":["task_2"]}]}`, "task_1 x; task_2 y (task_1)"},
		"ids with spaces and slashes":       {`{"tasks":[{"id":" a/b ","description":"x"},{"id":"c","description":"y","dependencies":[" a/b "]}]}`, "task_1 x; task_2 y (task_1)"},
	} {
		t.Run(name, func(t *testing.T) {
			tasks, err := plan.Form{}.Parse(c.reply)
			require.NoError(t, err)
			require.Equal(t, c.want, shape(tasks))
		})
	}
}

// PLAN-03, PLAN-E54: replies that are refused, with every fault and its ids.
func TestBadReplies(t *testing.T) {
	task := func(fields string) string { return `{"tasks":[{` + fields + `}]}` }
	for name, c := range map[string]struct {
		reply string
		want  string // kinds and tasks
	}{
		"nothing":                        {"", "no_plan"},
		"prose":                          {"I will first look around and then write.", "no_plan"},
		"an empty object":                {"{}", "no_plan"},
		"a list alone":                   {`[{"id":"a","description":"x"}]`, "no_plan"},
		"another object":                 {`{"steps":[{"id":"a","description":"x"}]}`, "no_plan"},
		"cut in the middle":              {two[:len(two)-20], "no_plan"},
		"cut, with a plan within":        {`{"tasks":[{"id":"a","sub":` + two, "no_plan"},
		"a comma too many":               {`{"tasks":[{"id":"a","description":"x"},]}`, "no_plan"},
		"a comment":                      {`{"tasks":[{"id":"a","description":"x"} // first` + "\n]}", "no_plan"},
		"single quotes":                  {`{'tasks':[{'id':'a','description':'x'}]}`, "no_plan"},
		"two plans":                      {one + "\n or \n" + two, "many_plans"},
		"brackets for ever":              {strings.Repeat(`{"a":`, 20_000), "no_plan"},
		"broken brackets for ever":       {strings.Repeat(`{"a":`, 20_000) + "x", "no_plan"},
		"braces for ever":                {strings.Repeat("{", 100_000), "no_plan"},
		"an empty list":                  {`{"tasks":[]}`, "empty_plan"},
		"null for the list":              {`{"tasks":null}`, "empty_plan"},
		"an object for the list":         {`{"tasks":{"a":"x"}}`, "empty_plan"},
		"a key twice":                    {`{"tasks":[{"id":"a","description":"x","id":"b"}]}`, "repeated_key"},
		"the list twice":                 {`{"tasks":[],"tasks":[{"id":"a","description":"x"}]}`, "repeated_key"},
		"a key twice, far down":          {`{"tasks":[{"id":"a","description":"x","more":[{"k":1,"k":1}]}]}`, "repeated_key"},
		"B187: all sorts":                {`{"tasks":[null,5,{"id":""},{"id":"a"}]}`, "bad_task tasks[0], bad_task tasks[1], bad_id tasks[2], bad_description tasks[2], bad_description a"},
		"B187: a text for dependencies":  {task(`"id":"b","description":"x","dependencies":"a"`), "bad_dependency b"},
		"no id":                          {task(`"description":"x"`), "bad_id tasks[0]"},
		"a blank id":                     {task(`"id":" \t","description":"x"`), "bad_id tasks[0]"},
		"true for an id":                 {task(`"id":true,"description":"x"`), "bad_id tasks[0]"},
		"a number for a description":     {task(`"id":"a","description":5`), "bad_description a"},
		"a blank description":            {task(`"id":"a","description":"  "`), "bad_description a"},
		"an object among dependencies":   {task(`"id":"a","description":"x","dependencies":[{"id":"b"}]`), "bad_dependency a"},
		"null among dependencies":        {task(`"id":"a","description":"x","dependencies":[null]`), "bad_dependency a"},
		"a number for the type":          {task(`"id":"a","description":"x","type":1`), "bad_task a"},
		"B184: the same id twice":        {`{"tasks":[{"id":"a","description":"x"},{"id":"b","description":"y"},{"id":"a","description":"z"}]}`, "repeated_id a"},
		"B188: a number and its text":    {`{"tasks":[{"id":2,"description":"x"},{"id":"2","description":"y"}]}`, "repeated_id 2"},
		"B188: 14 is not 14.5":           {`{"tasks":[{"id":14.5,"description":"x"},{"id":"b","description":"y","dependencies":[14]}]}`, "unknown_dependency b"},
		"B185: a missing one":            {task(`"id":"a","description":"x","dependencies":["z"]`), "unknown_dependency a"},
		"B186: itself":                   {task(`"id":"a","description":"x","dependencies":["a"]`), "self_dependency a"},
		"B185: a cycle of two":           {`{"tasks":[{"id":"a","description":"x","dependencies":["b"]},{"id":"b","description":"y","dependencies":["a"]},{"id":"c","description":"z"}]}`, "cycle a,b"},
		"a tool where there are none":    {task(`"id":"a","tool":"look"`), "bad_description a"},
		"B189: four faults in one error": {`{"tasks":[{"id":"a","description":"x","dependencies":["z"]},{"id":"b","description":7},{"id":"b","description":"y"},{"id":"c","description":"w","dependencies":["c"]}]}`, "bad_description b, repeated_id b, unknown_dependency a, self_dependency c"},
	} {
		t.Run(name, func(t *testing.T) {
			tasks, err := plan.Form{}.Parse(c.reply)
			require.Nil(t, tasks)
			require.Equal(t, c.want, faults(t, err))
		})
	}
}

func faults(t *testing.T, err error) string {
	t.Helper()
	var invalid *plan.InvalidError
	require.ErrorAs(t, err, &invalid)
	var out []string
	for _, f := range invalid.Faults {
		require.NotEmpty(t, f.Detail)
		require.True(t, invalid.Has(f.Kind))
		out = append(out, strings.TrimSpace(string(f.Kind)+" "+strings.Join(f.Tasks, ",")))
		for _, id := range f.Tasks {
			require.Contains(t, err.Error(), id, "the error names it")
		}
	}
	return strings.Join(out, ", ")
}

// TEAM-03: another list, another prefix, ids that go on, earlier tasks.
func TestForm(t *testing.T) {
	f := plan.Form{Lists: []string{"steps", "tasks"}, Prefix: "step_", Given: 2, Known: []string{"step_1"}}
	tasks, err := f.Parse(`{"steps":[{"id":"a","description":"x","dependencies":["step_1"]},{"id":"b","description":"y","dependencies":["a","a"]}]}`)
	require.NoError(t, err)
	require.Equal(t, "step_3 x (step_1); step_4 y (step_3)", shape(tasks))
	tasks, err = f.Parse(one)
	require.NoError(t, err)
	require.Equal(t, "step_3 do a", shape(tasks))
	_, err = f.Parse(one + two)
	require.Equal(t, "many_plans", faults(t, err))
	_, err = f.Parse(`{"steps":[{"id":"a","description":"x","dependencies":["step_2"]}]}`)
	require.Equal(t, "unknown_dependency a", faults(t, err))
}

// PLAN-19, PLAN-40, PLAN-E63: references are found, renamed and checked.
func TestReferences(t *testing.T) {
	f := plan.Form{Tools: []string{"get", "put"}, Given: 1, Known: []string{"task_1"}}
	for name, c := range map[string]struct{ tasks, want, faults string }{
		"by number and by id": {
			tasks: `{"id":"x","tool":"get"},{"id":"y","tool":"put","arguments":{"a":"#E1 and ${x}","n":14.50}}`,
			want:  `task_2 get{}; task_3 put{"a":"${task_2} and ${task_2}","n":14.50} (task_2)`,
		},
		"in a nested list, of an earlier plan": {
			tasks: `{"id":"y","tool":"put","arguments":{"a":[["<${task_1}>"]]},"description":"puts"}`,
			want:  `task_2 puts put{"a":[["<${task_1}>"]]} (task_1)`,
		},
		"unknown, later, itself": {
			tasks:  `{"id":"x","tool":"get","arguments":{"a":"#E2","b":"#E9","c":"${nope}","d":"${x}","e":"#E0"}},{"id":"y","tool":"get"}`,
			faults: "bad_reference x, bad_reference x, bad_reference x, bad_reference x, bad_reference x",
		},
		"no such tool, no object": {
			tasks:  `{"id":"x","tool":"burn"},{"id":"y","tool":"get","arguments":[1]},{"id":"z","tool":5}`,
			faults: "bad_tool x, bad_tool z, bad_description z, bad_tool y",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tasks, err := f.Parse(`{"tasks":[` + c.tasks + `]}`)
			if c.faults != "" {
				require.Equal(t, c.faults, faults(t, err))
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, shape(tasks))
		})
	}
}

// PLAN-22, PLAN-E61: the orders of a research plan.
func TestOrders(t *testing.T) {
	f := plan.Form{Ordered: true}
	for order, want := range map[string]string{
		`1`: "", `0`: "", `17`: "", `-1`: "bad_order a", `1.5`: "bad_order a", `"1"`: "bad_order a", `null`: "bad_order a", `1e30`: "bad_order a",
	} {
		_, err := f.Parse(`{"tasks":[{"id":"a","description":"x","order":` + order + `}]}`)
		if want == "" {
			require.NoError(t, err, order)
			continue
		}
		require.Equal(t, want, faults(t, err), order)
	}
	_, err := f.Parse(one)
	require.Equal(t, "bad_order a", faults(t, err), "missing")
	_, err = f.Parse(`{"tasks":[]}`)
	require.Equal(t, "empty_plan", faults(t, err))
	_, err = f.Parse(`{"tasks":[{"id":"a","description":"x","order":1},{"id":"b","description":"x","order":1,"dependencies":["a"]}]}`)
	require.Equal(t, "bad_order b", faults(t, err))
}

// PLAN-03: large plans, without recursion and in one pass.
func TestHugeReplies(t *testing.T) {
	var b strings.Builder
	b.WriteString(`Here: {"tasks":[`)
	const n = 10_000
	for i := range n {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"id":%d,"description":"do %d","dependencies":[`, i, i)
		if i > 0 {
			fmt.Fprintf(&b, "%d", i-1)
		}
		b.WriteString("]}")
	}
	b.WriteString("]}")
	tasks, err := plan.Form{}.Parse(b.String())
	require.NoError(t, err)
	require.Len(t, tasks, n)
	require.Equal(t, []string{"task_9999"}, tasks[n-1].Dependencies)

	ring := strings.Replace(b.String(), `"dependencies":[]`, `"dependencies":[9999]`, 1)
	_, err = plan.Form{}.Parse(ring)
	var invalid *plan.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Len(t, invalid.Faults, 1)
	require.Len(t, invalid.Faults[0].Tasks, n)
}

// PLAN-02, PLAN-03, PLAN-31: whatever a reply holds, nothing panics, and what is
// read is a valid plan that reads as itself.
func FuzzParse(f *testing.F) {
	for _, s := range []string{one, two, "{", `{"tasks":[{"id":1,"tool":"get","arguments":{"a":"#E1${x}"}}]}`, "```json\n" + two + "\n```", `{"tasks":[{"id":"a","id":2}]} {`} {
		f.Add(s)
	}
	form := plan.Form{Tools: []string{"get"}}
	f.Fuzz(func(t *testing.T, reply string) {
		tasks, err := form.Parse(reply)
		if err != nil {
			var invalid *plan.InvalidError
			if !errors.As(err, &invalid) || len(invalid.Faults) == 0 {
				t.Fatal(err)
			}
			return
		}
		dag, err := plan.NewDAG(tasks...)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(dag)
		if err != nil {
			t.Fatal(err)
		}
		again, err := form.Parse("so: " + string(data))
		if err != nil || shape(again) != shape(tasks) {
			t.Fatalf("%v: %s: %s", err, shape(again), shape(tasks))
		}
	})
}
