// Package agent runs a model in a loop with tools until the work is done.
//
// It has two halves. The pure half decides: a [State] is what has happened,
// folded from facts, and [Loop.Next] says what may be under way next. The other
// half acts: a [Run] makes it so, for a Loop and for the other modes that bring
// their own facts and their own Next.
//
// Who uses the package needs these names:
//
//   - [Loop] is the recipe: client, tools, limits, checks. It is data.
//   - [Loop.Open] begins a run or goes on with it, in a [Scope]: a journal, an
//     id, a shared budget. [Do] is the same in one line.
//   - [Run.Events] does the work and yields each [Event]. A [Fact] is an event
//     that changes the state and stands in the log.
//   - [Run.Result] says how far it has come: a [Result] with a [Reason].
//   - A run that waits asks a [Question], also days later and in another
//     process; [Run.Answer] takes an [Answer].
//   - A [Verifier] checks an answer before it counts as done; a tool.Policy
//     decides about each call before it runs.
//   - [Worker] is what the modes have in common; [AsTool] makes one a tool of
//     another.
//   - A [Step] is what Next says; with [State] it drives a run by hand.
//
// # What holds
//
// A fact is in the journal before it is shown, and has been shown before
// anything is done about it: a loop body over the events is a write-ahead log.
// However a run ends or is cut off, its history is one that every provider
// takes, and no side effect happens a second time without being asked for.
package agent
