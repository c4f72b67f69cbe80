package demo

import "github.com/triad-go/triad/llm/llmtest"

// Hello answers questions that hold a word that it knows.
func Hello(h History) (llmtest.Answer, bool) {
	for _, known := range glossary {
		if h.says(known.word) {
			return llmtest.Text(known.answer), true
		}
	}
	return llmtest.Answer{}, false
}

var glossary = []struct{ word, answer string }{
	{"dag", "A DAG is a directed acyclic graph: nodes joined by arrows, and no way along the arrows leads back to where it began. Tasks that wait for other tasks form one."},
	{"triad", "triad is a Go library that runs language-model agents in three modes: a loop, a plan and a team."},
	{"hello", "Hello! I am the demo model of the examples. Ask me what a DAG is."},
}
