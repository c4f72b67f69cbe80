package skill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// ToolName is the name of [Library.Tool].
const ToolName = "load_skill"

// Tool returns load_skill{name}, which returns a skill's whole text and its
// directory. It is read-only. Its results are protected from compaction, and
// not marked as data from outside: they are meant to be followed.
//
// The first call for a skill in a run returns the text. The next one returns a
// short note, and the one after that the text again, for the library can't see
// what the model still has: compaction keeps such results, but a summary has
// only so much room for them. The text is also returned again after it has
// changed, in a run that was opened in another process, and always in a run
// without an id, which can't be told from others.
func (l *Library) Tool() tool.Tool {
	words := l.Texts.complete()
	return tool.Tool{
		Spec: llm.Spec{
			Name: ToolName, Description: words.Description,
			Schema: schema(words.Parameter),
		},
		Access:    tool.ReadOnly,
		Protected: true,
		MaxText:   l.longest(),
		Run:       l.run,
	}
}

func schema(parameter string) json.RawMessage {
	described, _ := json.Marshal(parameter) // a string always has a JSON text
	return json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","description":` + string(described) +
		`}},"required":["name"],"additionalProperties":false}`)
}

// longest is the room that the longest text and what is said about it need.
func (l *Library) longest() int {
	return min(max(l.MaxBytes, DefaultMaxBytes), math.MaxInt-tool.DefaultMaxText) + tool.DefaultMaxText
}

func (l *Library) run(_ context.Context, call tool.Call) (tool.Result, error) {
	var in struct{ Name string }
	if err := json.Unmarshal(call.Arguments, &in); err != nil {
		return tool.Result{}, err
	}
	words := l.Texts.complete()
	l.mu.RLock()
	s, ok := l.find(in.Name)
	l.mu.RUnlock()
	if !ok {
		return tool.Result{}, l.unknown(words, in.Name)
	}
	text := fill(words.Loaded, "name", s.Name, "body", s.Body)
	if s.Dir != "" {
		text = fill(words.Dir, "dir", s.Dir) + text
	}
	if l.loads.again(call.Key, s.Name, text) {
		text = fill(words.Again, "name", s.Name)
	}
	return tool.Result{Text: text, Changed: tool.Unchanged}, nil
}

func (l *Library) unknown(words Texts, name string) error {
	var known []string
	for _, s := range l.Skills() {
		known = append(known, s.Name)
	}
	name = fmt.Sprintf("%.80q", name)
	if len(known) == 0 {
		return errors.New(fill(words.None, "name", name))
	}
	return errors.New(fill(words.Unknown, "name", name, "known", strings.Join(known, ", ")))
}

// loads remembers what was loaded in the latest runs.
type loads struct {
	mu   sync.Mutex
	runs map[string]map[string]load
	old  []string // the runs, oldest first
}

// A load is the latest one of a skill in a run.
type load struct {
	text  string
	call  string // the key of the call that returned the text
	noted string // of the one that returned a note since
}

const maxRuns = 1000

// again tells whether a call need only say that the text was loaded before. It
// says the same of one call however often that is run.
func (l *loads) again(key, name, text string) bool {
	end := strings.LastIndexByte(key, '/')
	if end < 0 || key[0] == '/' {
		return false // of a run without an id, or of none
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	run := l.run(key[:end])
	last, ok := run[name]
	switch {
	case !ok || last.text != text || last.call == key || last.noted != "" && last.noted != key:
		run[name] = load{text: text, call: key}
		return false
	case last.noted == "":
		last.noted = key
		run[name] = last
	}
	return true
}

// run returns what is known of a run, and forgets the oldest for a new one.
func (l *loads) run(id string) map[string]load {
	if l.runs == nil {
		l.runs = make(map[string]map[string]load)
	}
	if l.runs[id] == nil {
		if len(l.old) == maxRuns {
			delete(l.runs, l.old[0])
			l.old = l.old[1:]
		}
		l.runs[id], l.old = make(map[string]load), append(l.old, id)
	}
	return l.runs[id]
}
