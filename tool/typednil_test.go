package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/tool"
)

// A frail is an error whose methods need what a nil one lacks.
type frail struct{ why string }

func (f *frail) Error() string { return f.why }

// A frailSignal is a signal of that kind.
type frailSignal struct{ frail }

func (*frailSignal) Signal() {}

// A wild is a value that panics with itself wherever its text is wanted.
type wild struct{}

func (w wild) Error() string { panic(w) }

// A slowError takes an hour to say what it is.
type slowError struct{}

func (slowError) Error() string { time.Sleep(time.Hour); return "at last" }

// TOOL-14, B083: also the error that a call returns is code of the tool. What
// its methods do stays with the call, in time and after its stop.
func TestErrorsThatPanic(t *testing.T) {
	var noError *frail
	var noSignal *frailSignal
	var noPause *tool.Pause
	for _, c := range []struct {
		name    string
		err     error
		outcome tool.Outcome
		text    string
	}{
		{"a nil error of a type", noError, tool.Panicked, "nil pointer"},
		{"a nil signal", noSignal, tool.Panicked, "nil pointer"},
		{"a nil pause", noPause, tool.Failed, "can't be kept: it is nil"},
		{"a nil pause, wrapped", fmt.Errorf("asking: %w", noPause), tool.Failed, "can't be kept: it is nil"},
		{"one that panics with itself", wild{}, tool.Panicked, "a tool_test.wild"},
	} {
		faulty := plain("faulty", tool.SideEffecting, func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Text("ok"), c.err
		})
		t.Run(c.name, func(t *testing.T) {
			ending := faulty.Do(t.Context(), tool.Call{})
			require.Nil(t, ending.Signal)
			require.Equal(t, c.outcome, ending.Result.Outcome)
			require.Contains(t, ending.Result.Text, c.text)
		})
		t.Run(c.name+", in a Runner", func(t *testing.T) {
			runner := &tool.Runner{Tools: tool.NewRegistry(faulty, says("fine", "fine"))}
			results := runAll(t, runner, asks("faulty", ""), asks("fine", ""))
			require.Equal(t, c.outcome, results[0].Outcome)
			require.Equal(t, "fine", results[1].Text)
		})
		t.Run(c.name+", after its stop", func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			stopped := plain("stopped", tool.SideEffecting, func(context.Context, tool.Call) (tool.Result, error) {
				cancel()
				return tool.Result{}, c.err
			})
			require.Equal(t, tool.Canceled, stopped.Do(ctx, tool.Call{}).Result.Outcome)
		})
	}
}

// A panic with a value that has no text to be had, and an error that does not
// come to its end.
func TestTextsThatCannotBeHad(t *testing.T) {
	panics := plain("panics", tool.SideEffecting, func(context.Context, tool.Call) (tool.Result, error) { panic(wild{}) })
	ending := panics.Do(t.Context(), tool.Call{})
	require.Equal(t, tool.Result{Text: "The tool panicked: a tool_test.wild, whose text can't be had", Outcome: tool.Panicked}, ending.Result)
	synctest.Test(t, func(t *testing.T) {
		hangs := plain("hangs", tool.SideEffecting, func(context.Context, tool.Call) (tool.Result, error) { return tool.Result{}, slowError{} })
		began := time.Now()
		ending := hangs.Do(t.Context(), tool.Call{})
		require.Equal(t, tool.DefaultLimit+tool.DefaultGrace, time.Since(began))
		require.Equal(t, tool.TimedOut, ending.Result.Outcome)
		<-ending.Late
	})
}

type panicsToDecode struct{}

func (panicsToDecode) UnmarshalJSON([]byte) error { panic("undecided") }

type nilToDecode struct{}

func (nilToDecode) UnmarshalJSON([]byte) error { var none *frail; return none }

// The gates outlive a type that decodes itself and panics, or returns an error
// that does.
func TestDecodingThatPanics(t *testing.T) {
	panics := tool.New("panics", "", func(context.Context, struct{ V panicsToDecode }) (string, error) { return "", nil })
	frail := tool.New("frail", "", func(context.Context, struct{ V nilToDecode }) (string, error) { return "", nil })
	list := listOf(t, panics, frail)
	for name, said := range map[string]string{"panics": "undecided", "frail": "nil pointer"} {
		check := list.Check(asks(name, `{"V":{}}`), nil)
		require.Equal(t, tool.BadArguments, check.Outcome)
		require.Contains(t, check.Text, said)
		found, _ := list.Find(name)
		require.Equal(t, tool.Panicked, found.Do(t.Context(), tool.Call{Arguments: json.RawMessage(`{"V":{}}`)}).Result.Outcome)
	}
}
