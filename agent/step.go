package agent

import (
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// A Step names what may be under way now: [CallModel], [CallTools], [Verify],
// [Note], [Wait] or [Stop].
type Step interface{ step() }

type (
	// CallModel asks for a reply. The tools are added by the one who acts, as
	// they are then. Told is how many of the waiting messages (of those for
	// later, if Later) stand at the end of the request: the reply's fact must
	// say so. WrapUp is the last request, after a limit: it has no tools, its
	// calls are not run, and its fact is [WrappedUp].
	CallModel struct {
		Request llm.Request
		Told    int
		Later   bool
		WrapUp  bool
	}

	// CallTools names all calls that may be under way now. Those that are, are
	// left alone; the others are started. Alone says that no other call of the
	// turn is open.
	CallTools struct {
		Calls []Call
		Alone bool
	}

	// Verify asks the verifier about the answer.
	Verify struct{}

	// Note names facts that follow from what has happened and need no act:
	// results of calls that will not run, a nudge, a reminder, feedback.
	Note struct{ Facts []Fact }

	// Wait is for answers from outside.
	Wait struct{ Questions []Question }

	// Stop ends the run. It has ended when the state holds the fact already.
	Stop struct{ Stopped }
)

func (CallModel) step() {}

func (CallTools) step() {}

func (Verify) step() {}

func (Note) step() {}

func (Wait) step() {}

func (Stop) step() {}

// A Call is a call that may run. Begun says that it was noted as started: if
// it is not under way, it was cut off.
type Call struct {
	tool.Call
	Place  string // turn and index, such as "7.1"
	Use    tool.Use
	Begun  bool
	Edited bool // a person changed the arguments

	counted bool // among the calls spent, so it was begun before
}
