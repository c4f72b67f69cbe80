package tool

import (
	"strconv"
	"time"
)

// The results of calls that passed the gates and are not started all the same.
// Each has the outcome [NotStarted], but for Removed.

// Removed returns the result of a call whose tool was on the list that its
// request advertised and has left the registry since: an [UnknownTool].
func (l *List) Removed(name string) Result {
	return Result{Text: fill(l.words().Removed, "name", name), Outcome: UnknownTool}
}

// Blocked returns the result of a call of the tool named name that does not
// start because of the call running; see [Stragglers.Block].
func (l *List) Blocked(name, running string) Result {
	return notStarted(fill(l.words().Blocked, "name", name, "running", running))
}

// TooMany returns the result of a call beyond the first [MaxCalls] of its reply.
func (l *List) TooMany() Result {
	return notStarted(fill(l.words().TooMany, "limit", strconv.Itoa(MaxCalls)))
}

// TurnOver returns the result of a call whose turn has been running for limit.
func (l *List) TurnOver(limit time.Duration) Result {
	return notStarted(fill(l.words().TurnOver, "limit", limit.String()))
}

// Stopped returns the result of a call whose run was stopped first.
func (l *List) Stopped() Result { return notStarted(l.words().Stopped) }

func notStarted(text string) Result { return Result{Text: text, Outcome: NotStarted} }
