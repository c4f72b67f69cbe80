package team

import (
	"reflect"
	"strings"
)

// Texts are the words in which a team speaks to models, beside its prompt files
// (see package agent/prompt) and those of the plan. A field that is empty
// stands for the English text, so the zero Texts is all English. Words in
// braces are filled in.
type Texts struct {
	// To the reviewer.
	ReviewTask string // {task}, {before}, {result}, {partial}, {calls}
	Before     string // {issues}: of the review before
	Partial    string // {why}: the limit that cut the work short
	NoCalls    string
	MoreCalls  string // {calls}: how many earlier ones are left out
	CallLine   string // {name}, {arguments}, {outcome}, {result}
	OK         string // the outcome of a call that went well
	Open       string // and of one that has none
	BadVerdict string // {fault}; asks again

	// To the worker.
	Redo       string // {issues}
	RedoFailed string // {issues}, {why}: the run before failed
	NoIssues   string // stands for the issues of a rejection without any

	Unreviewed string // {fault}; why a task is Unreviewed
}

var english = Texts{
	ReviewTask: `The task, as the worker was given it:
<task>
{task}
</task>{before}

The worker's result:{partial}
<result>
{result}
</result>

The calls that the worker made, and what came of them:
{calls}

Judge the result.`,
	Before:     "\n\nAn earlier result was rejected. What had to be mended:\n{issues}",
	Partial:    " (partial: the work was cut short by a limit, {why})",
	NoCalls:    "(none)",
	MoreCalls:  "({calls} earlier calls are left out)",
	CallLine:   "- {name} {arguments}: {outcome}: {result}",
	OK:         "ok",
	Open:       "no outcome",
	BadVerdict: "Your reply can't be read: {fault}\nAnswer with the one JSON object of the reply format and nothing else; \"approved\" is the boolean true or false.",

	Redo:       "The reviewer did not approve the result. Mend this, leave the rest as it is, and give the whole result again:\n{issues}",
	RedoFailed: "Your last run ended without a result ({why}). The reviewer's issues are still open. Mend this, and give the whole result again:\n{issues}",
	NoIssues:   "The reviewer gave no reason. Check the result against the task, point by point.",

	Unreviewed: "nobody could review it: {fault}",
}

// complete returns t with the English words where it has none.
func (t Texts) complete() Texts {
	v, words := reflect.ValueOf(&t).Elem(), reflect.ValueOf(english)
	for i := range v.NumField() {
		if f := v.Field(i); f.String() == "" {
			f.Set(words.Field(i))
		}
	}
	return t
}

// fill puts values in the place of the words in braces: name, value, name, value …
// It is one pass, so a word in braces inside a value stays.
func fill(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
