package tool_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/tool"
)

// TOOL-30: one call is stopped at each gate; no later gate sees it.
func TestGatesInOrder(t *testing.T) {
	var keys, policy, runs int
	type in struct {
		Path string `json:"path"`
	}
	save := tool.New("save", "", func(context.Context, in) (string, error) { runs++; return "saved", nil })
	save.Keys = tool.KeysOf(func(in in) tool.Keys { keys++; return tool.Keys{Writes: []string{in.Path}} })
	list := listOf(t, save)
	rule := func(t tool.Tool, call tool.Call) tool.Verdict {
		policy++
		var in in
		if err := json.Unmarshal(call.Arguments, &in); err != nil {
			return tool.Refuse(err.Error())
		}
		switch in.Path {
		case "/etc":
			return tool.Refuse("not there")
		case "/home":
			return tool.Ask("Really, " + t.Name + "?")
		}
		return tool.Allow()
	}
	for _, c := range []struct {
		name, tool, arguments string
		outcome               tool.Outcome
		ask                   string
		keys, policy          int
	}{
		{"name", "safe", `{"path":"a"}`, tool.UnknownTool, "", 0, 0},
		{"arguments", "save", `["a"]`, tool.BadArguments, "", 0, 0},
		{"schema", "save", `{"path":1}`, tool.BadArguments, "", 0, 0},
		{"policy", "save", `{"path":"/etc"}`, tool.Refused, "", 1, 1},
		{"approval", "save", `{"path":"/home"}`, tool.OK, "Really, save?", 1, 1},
		{"none", "save", `{"path":"a"}`, tool.OK, "", 1, 1},
	} {
		keys, policy, runs = 0, 0, 0
		check := list.Check(asks(c.tool, c.arguments), rule)
		require.Equal(t, c.outcome, check.Outcome, c.name)
		require.Equal(t, c.outcome != tool.OK, check.Stopped(), c.name)
		require.Equal(t, c.ask, check.Ask, c.name)
		require.Equal(t, []int{c.keys, c.policy, 0}, []int{keys, policy, runs}, c.name)
		if check.Stopped() {
			require.Equal(t, tool.Result{Text: check.Text, Outcome: c.outcome}, check.Result())
			require.False(t, check.Outcome.Started())
			require.False(t, check.Use.Conflicts(tool.Use{}), "what does not run is in nobody's way")
			require.NotEmpty(t, check.Text)
		}
		// What was settled is data: it is recorded, and not settled again at a resume.
		stored, err := json.Marshal(check)
		require.NoError(t, err)
		var back tool.Check
		require.NoError(t, json.Unmarshal(stored, &back))
		require.Equal(t, check, back)
	}
	// SES-E91, TOOL-30: changed arguments pass the gates again; an approval
	// overrules no refusal.
	require.Equal(t, tool.Refused, list.Check(asks("save", `{"path":"/etc"}`), rule).Outcome)
}

// TOOL-E27: the three verdicts and nil; the ready-made policies.
func TestPolicies(t *testing.T) {
	read, write := says("read", ""), says("write", "")
	write.Access = tool.SideEffecting
	list := listOf(t, read, write)
	always := func(v tool.Verdict) tool.Policy { return func(tool.Tool, tool.Call) tool.Verdict { return v } }
	const unattended = "The call of write was refused by policy and not run: it needs a person's approval, and nobody is there to give it."
	for _, c := range []struct {
		name, tool string
		policy     tool.Policy
		outcome    tool.Outcome
		ask, text  string
	}{
		{"nil", "write", nil, tool.OK, "", ""},
		{"allow", "write", always(tool.Allow()), tool.OK, "", ""},
		{"ask", "write", always(tool.Ask("May I?")), tool.OK, "May I?", ""},
		{"ask plainly", "write", always(tool.Ask("")), tool.OK, `Run write with {"n":1}?`, ""},
		{"refuse", "write", always(tool.Refuse("it is Sunday")), tool.Refused, "", "The call of write was refused by policy and not run: it is Sunday."},
		{"refuse plainly", "write", always(tool.Refuse("")), tool.Refused, "", "The call of write was refused by policy and not run: it is not allowed."},
		{"asking, a read", "read", tool.AskForSideEffects, tool.OK, "", ""},
		{"asking, a write", "write", tool.AskForSideEffects, tool.OK, `Run write with {"n":1}?`, ""},
		{"headless asking, a read", "read", tool.Headless(tool.AskForSideEffects), tool.OK, "", ""},
		{"headless asking, a write", "write", tool.Headless(tool.AskForSideEffects), tool.Refused, "", unattended},
		{"headless nil", "write", tool.Headless(nil), tool.OK, "", ""},
		{"headless refusing", "write", tool.Headless(always(tool.Refuse("no"))), tool.Refused, "", "The call of write was refused by policy and not run: no."},
	} {
		check := list.Check(asks(c.tool, `{"n":1}`), c.policy)
		require.Equal(t, c.outcome, check.Outcome, c.name)
		require.Equal(t, c.ask, check.Ask, c.name)
		require.Equal(t, c.text, check.Text, c.name)
	}
}

// A person reads what will be run, not its escapes.
func TestQuestionIsReadable(t *testing.T) {
	check := listOf(t, echo(``)).Check(asks("echo", `{"c":"a && b > \\u003c 'ü'"}`), func(tool.Tool, tool.Call) tool.Verdict { return tool.Ask("") })
	require.Equal(t, `Run echo with {"c":"a && b > \\u003c 'ü'"}?`, check.Ask)
}

// TOOL-33: an approval for the session is a policy: it is for exactly that
// tool, and a second one still asks.
func TestApprovalForTheSessionIsForOneTool(t *testing.T) {
	approved := map[string]bool{}
	policy := func(t tool.Tool, call tool.Call) tool.Verdict {
		if approved[t.Name] {
			return tool.Allow()
		}
		return tool.AskForSideEffects(t, call)
	}
	list := listOf(t, echoAs("a"), echoAs("b"))
	require.NotEmpty(t, list.Check(asks("a", ""), policy).Ask)
	approved["a"] = true
	require.Empty(t, list.Check(asks("a", `{"other":1}`), policy).Ask)
	require.NotEmpty(t, list.Check(asks("b", ""), policy).Ask)
}

func echoAs(name string) tool.Tool {
	t := echo(``)
	t.Name, t.Access = name, tool.SideEffecting
	return t
}

// TOOL-06, TOOL-E22: a tool is read-only only if it says so.
func TestAccessIsTheWorstUnlessSaid(t *testing.T) {
	fn := func(context.Context, struct{}) (string, error) { return "", nil }
	undeclared := tool.New("undeclared", "", fn)
	hinted := says("mcp__files__read", "") // a server's hint sets nothing by itself
	hinted.Access = tool.Tool{}.Access
	declared := tool.New("declared", "", fn, tool.ReadOnly)
	list := listOf(t, undeclared, hinted, declared)
	for name, want := range map[string]tool.Access{
		"undeclared": tool.SideEffecting, "mcp__files__read": tool.SideEffecting, "declared": tool.ReadOnly,
	} {
		require.Equal(t, want, list.Check(asks(name, ""), nil).Use.Access, name)
	}
	unregistered, ok := list.Find("unregistered")
	require.False(t, ok)
	require.Equal(t, tool.SideEffecting, unregistered.Access)
}

// A panic of the host's functions stops the call and nothing else.
func TestPanicsAtTheGates(t *testing.T) {
	keyed := echo(`{"properties":{"n":{"type":"integer"}}}`)
	keyed.Keys = func(json.RawMessage) tool.Keys { panic("no key") }
	list := listOf(t, keyed)
	check := list.Check(asks("echo", ""), nil)
	require.Equal(t, tool.NotStarted, check.Outcome)
	require.Contains(t, check.Text, "no key")

	check = listOf(t, echo(``)).Check(asks("echo", ""), func(tool.Tool, tool.Call) tool.Verdict { panic("no rule") })
	require.Equal(t, tool.Refused, check.Outcome, "what can't be decided is not run")
	require.Contains(t, check.Text, "no rule")
	require.Empty(t, check.Ask)
}

// TOOL-35: keys are recorded with the check; naming none declares nothing.
func TestKeysAreRecorded(t *testing.T) {
	type in struct {
		Path string `json:"path,omitempty"`
	}
	save := tool.New("save", "", func(context.Context, in) (string, error) { return "", nil })
	save.Keys = tool.KeysOf(func(in in) tool.Keys {
		if in.Path == "" {
			return tool.Keys{}
		}
		return tool.Keys{Reads: []string{"dir"}, Writes: []string{in.Path}}
	})
	list := listOf(t, save)
	want := tool.Use{Keyed: true, Keys: tool.Keys{Reads: []string{"dir"}, Writes: []string{"a"}}}
	require.Equal(t, want, list.Check(asks("save", `{"path":"a"}`), nil).Use)
	require.Equal(t, tool.Use{}, list.Check(asks("save", `{}`), nil).Use)
}

// TOOL-29: which outcomes are failures, and which began.
func TestOutcomes(t *testing.T) {
	for outcome, began := range map[tool.Outcome]bool{
		tool.OK: true, tool.Failed: true, tool.Panicked: true, tool.TimedOut: true, tool.Canceled: true, tool.Unknown: true,
		tool.UnknownTool: false, tool.BadArguments: false, tool.Refused: false, tool.Denied: false, tool.NotStarted: false,
	} {
		require.Equal(t, began, outcome.Started(), outcome)
		r := tool.Result{Text: "error: all is well", Outcome: outcome, Changed: tool.Changed, End: true}
		require.Equal(t, outcome != tool.OK, r.Failed(), "read from the outcome, not from the text")
		message := r.Message("k1", "save")
		require.Equal(t, outcome != tool.OK, message.Failed)
		require.Equal(t, "k1", message.CallID)
		stored, err := json.Marshal(r)
		require.NoError(t, err)
		var back tool.Result
		require.NoError(t, json.Unmarshal(stored, &back))
		require.Equal(t, r, back)
	}
}
