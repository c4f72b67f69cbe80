package flow

import "sync"

// A Session holds what the user of a conversation has chosen for the next
// prompt. The mode is React by default, and again after one run of another. The
// zero Session is ready. Its methods may be called by many goroutines.
//
//	router.Choice = session.Choice
//	session.Choose(flow.Plan) // the user typed /plan
type Session struct {
	mu     sync.Mutex
	chosen Mode
}

// Choose has the next prompt done in a mode.
func (s *Session) Choose(m Mode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chosen = m
}

// Mode returns the mode of the next prompt, as far as the user has chosen.
func (s *Session) Mode() Mode {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.chosen == "" {
		return React
	}
	return s.chosen
}

// Choice returns what the user has chosen, for the prompt that begins now, and
// returns the session to React. It is empty where nothing was chosen, and the
// router then chooses by itself. It is what [Router.Choice] wants.
func (s *Session) Choice(string) Mode {
	s.mu.Lock()
	defer s.mu.Unlock()
	chosen := s.chosen
	s.chosen = ""
	return chosen
}
