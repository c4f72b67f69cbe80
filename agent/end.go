package agent

import "github.com/triad-go/triad/llm"

// judge says what a reply without calls comes to.
func (l *Loop) judge(s *State) Step {
	switch {
	case s.reply == llm.FinishRefused:
		return l.stop(s, Stopped{Reason: Refused})
	case s.reply == llm.FinishLength:
		return l.stop(s, Stopped{Reason: Failed, Cause: OutputLimit})
	case s.said.text:
		return l.complete(s)
	case s.empties > maxNudges, s.said.reasoning && s.empties > 1, l.NoNudge:
		return l.stop(s, Stopped{Reason: Failed, Cause: EmptyAnswer})
	}
	return Note{[]Fact{Noted{Message: note(llm.FromNudge, l.words().Nudge)}}}
}

// complete ends a run that says it is done, once what waits has been heard and
// the verifier agrees.
func (l *Loop) complete(s *State) Step {
	if len(s.later) > 0 {
		return l.ask(s)
	}
	switch v := s.verdict; {
	case l.Verifier == nil:
		return l.stop(s, Stopped{Reason: Completed})
	case v == nil:
		return Verify{}
	case v.Fault != "":
		return l.stop(s, Stopped{Reason: Failed, Cause: VerifierFault, Detail: v.Fault})
	case v.Pass:
		return l.stop(s, Stopped{Reason: Completed, Detail: v.Why})
	case l.Feedback && s.verifies < l.verifications():
		return Note{[]Fact{Noted{Message: note(llm.FromFeedback, l.words().feedback(v.Why))}}}
	default:
		return l.stop(s, Stopped{Reason: Unverified, Detail: v.Why})
	}
}

func (l *Loop) stop(s *State, stop Stopped) Step {
	stop.Turn = max(1, s.turns())
	return Stop{stop}
}

func note(origin llm.Origin, text string) llm.Message {
	return llm.Message{Role: llm.User, Origin: origin, Parts: llm.Parts{llm.Text(text)}}
}
