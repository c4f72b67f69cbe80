package plan

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/triad-go/triad/budget"
)

// Texts are the words in which a plan speaks to models, and with some to a
// person. A field that is empty stands for the English text, so the zero Texts
// is all English. Words in braces are filled in.
type Texts struct {
	// To a planner.
	Planner     string // its instructions
	ToolTasks   string // {tools}; after them, where tasks may name a tool
	Ordered     string // after them, for a research plan
	Remember    string // {text}; what the memory says
	Done        string // heads the completed tasks
	NotDone     string // heads the failed ones
	Replan      string // asks for the rest of the plan
	Feedback    string // {text}; what the verifier or the critic says
	BadPlan     string // {faults}; one a line
	ResultTask  string // {id}, {status}, {description}, {result}: one task in a list
	NoResult    string // stands for an empty result
	CutResult   string // {characters}: how many are left out of a long result
	WorkerTask  string // {goal}, {task}, {inputs}; to a worker
	WorkerInput string // {id}, {status}, {result}; one dependency
	Requirement string // {text}; behind the goal, for each that was added
	Unchecked   string // behind the status of a task that nobody could check
	Unaccepted  string // {why}; behind that of one that did not pass its check
	CutShort    string // behind that of one that a limit cut short

	// To the one who makes the answer of all results, and the critic.
	SolveTask     string // {goal}, {results}, {missing}
	Missing       string // heads what is missing
	ReportTask    string // {goal}, {results}, {missing}, {verdict}
	CriticPassed  string // the verdict in it
	CriticObjects string // {why}; the same, if the critic has not passed it
	CriticTask    string // {goal}, {results}
	Critic        string // its instructions
	Reporter      string // likewise
	Summarizer    string // likewise
	Summary       string // {goal}, {results}; asks for a shorter text

	// Why a task is skipped or canceled.
	Skipped        string // {task}, {status}: of the task at the root of it
	Halted         string
	PlanningFailed string
	NoReplan       string
	Changed        string // it was started early, and is not in the plan
	LimitMet       string // {limit}, {used}, {max}

	// Of an end, where nobody gave a reason, and where tasks are too many to name.
	NotApproved string
	NotPassed   string
	Unreviewed  string // {fault}; the critic could not judge
	MoreTasks   string // {tasks}

	// To a person.
	Review string // {goal}, {tasks}
	After  string // {tasks}; behind a task that waits for others
	MayUse string // {tools}; behind one that may use no others
}

var english = Texts{
	Planner: `You break a goal into tasks for workers. You do none of the work yourself.
Answer with one JSON object and nothing else:
{"tasks": [{"id": "1", "description": "…", "dependencies": []}, {"id": "2", "description": "…", "dependencies": ["1"]}]}
- A worker sees the goal, its own task and the results of the tasks in its dependencies, and nothing else. Say in the description all that it must know.
- A task depends on another only if it needs that one's result. Tasks that do not depend on each other run side by side, so they must not change the same things.
- Use as few tasks as the goal needs. Ids are short and unique. No task may depend on itself, directly or not.`,
	ToolTasks: `
A task may name a tool in place of a worker, and is then run as it stands: {"id": "3", "tool": "name", "arguments": {…}}. A text in the arguments may hold #E1 for the result of the first task of your list, or ${id} for that of an earlier task.
The tools:
{tools}`,
	Ordered: `
Each task has an "order", a whole number from 0: tasks of one order run side by side, and those of the next begin when they have ended. Give no dependencies.`,
	Remember:   "\n\nWhat is remembered from before:\n{text}",
	Done:       "These tasks are completed and stay; do not plan them again. New tasks may depend on them by id.",
	NotDone:    "These tasks did not work out:",
	Replan:     "Plan the tasks that are still needed to reach the goal, in another way where one failed.",
	Feedback:   "The check of what was done says:\n{text}\nPlan the tasks that mend this.",
	BadPlan:    "Your plan can't be used:\n{faults}\nMend all of this, and answer with the whole plan as one JSON object.",
	ResultTask: "## {id} ({status}): {description}\n{result}",
	NoResult:   "(no result)",
	CutResult:  "\n[… {characters} characters left out …]\n",
	WorkerTask: `The goal of the whole, of which you do one part:
{goal}

Your task:
{task}{inputs}

Do your task and no more. Your last message is its result: it must hold all that others need of it.`,
	WorkerInput: "\n\nThe result of {id} ({status}):\n{result}",
	Requirement: "\n\nAdditional requirement: {text}",
	Unchecked:   ", but nobody could check it",
	Unaccepted:  ", but not accepted: {why}",
	CutShort:    ", partial: a limit cut it short",

	SolveTask:     "Goal:\n{goal}\n\nTasks were run to reach it. Their results:\n{results}{missing}\n\nGive the answer from these results. Say what is missing, if anything that matters is.",
	Missing:       "\n\nThese tasks gave no result:\n",
	ReportTask:    "Goal:\n{goal}\n\nThe results of the research:\n{results}{missing}\n\nThe critic says: {verdict}\n\nWrite the report.",
	CriticPassed:  "passed",
	CriticObjects: "not passed: {why}",
	CriticTask:    "Goal:\n{goal}\n\nThe results so far:\n{results}",
	Critic: `You judge whether results of research reach a goal. You do no research yourself.
Answer with one JSON object and nothing else: {"passed": true or false, "feedback": "…"}
passed is true only if the goal is reached. Else feedback says what is missing or wrong, so that the next tasks can be planned from it.`,
	Reporter:   "You write reports from the results of research: a title, a short summary, sections with the findings, what remains open. You add nothing that the results do not say.",
	Summarizer: "You shorten results of research and keep every fact, number, name and source that matters to the goal.",
	Summary:    "Goal:\n{goal}\n\nShorten these results:\n{results}",

	Skipped:        "because {task} was {status}",
	Halted:         "the plan was stopped",
	PlanningFailed: "planning failed",
	NoReplan:       "a task failed, and the plan may not be changed once more",
	Changed:        "it is not in the plan that came of it",
	LimitMet:       "{limit}: {used} of {max}",

	NotApproved: "the plan was not approved",
	NotPassed:   "the check did not pass",
	Unreviewed:  "unreviewed: the critic could not judge: {fault}",
	MoreTasks:   "and {tasks} more",

	Review: "Goal: {goal}\n\n{tasks}",
	After:  " (after {tasks})",
	MayUse: " (may use {tools})",
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

// met says which limit was met.
func (t *Texts) met(l *budget.ExceededError) string {
	if l == nil {
		return ""
	}
	return fill(t.LimitMet, "limit", string(l.Limit), "used", number(l.Used), "max", number(l.Max))
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// joined joins the parts that are not empty.
func joined(between string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), between)
}

// list tells of tasks, one after the other.
func (t *Texts) list(tasks []Task) string {
	items := make([]string, len(tasks))
	for i := range tasks {
		items[i] = t.item(&tasks[i], shorten(tasks[i].Result, t.CutResult))
	}
	return strings.Join(items, "\n\n")
}

func (t *Texts) item(task *Task, result string) string {
	if task.Why != "" {
		result = strings.TrimSpace(task.Why + "\n" + result)
	}
	if result == "" {
		result = t.NoResult
	}
	return fill(t.ResultTask, "id", task.ID, "status", t.standing(&task.Outcome), "description", task.says(), "result", result)
}

// standing is the status as others are told it, with what they must know beside it.
func (t *Texts) standing(o *Outcome) string {
	says := o.Status.String()
	switch v := o.Verdict; {
	case o.Status != Completed || v == nil || v.Pass:
	case v.Fault != "":
		says += t.Unchecked
	default:
		says += fill(t.Unaccepted, "why", v.Why)
	}
	if o.Cut {
		says += t.CutShort
	}
	return says
}

// goal is what is to be reached, with requirements that were added.
func (t *Texts) goal(goal string, added []string) string {
	for _, text := range added {
		goal += fill(t.Requirement, "text", text)
	}
	return goal
}

// says is what a task is about, in a line or a few.
func (t *Task) says() string {
	if t.Tool == "" {
		return t.Description
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", t.Description, t.Tool, t.Arguments))
}

// review shows a plan to a person, whole.
func (t *Texts) review(s *State) string {
	lines := make([]string, len(s.tasks))
	for i := range s.tasks {
		task := &s.tasks[i]
		lines[i] = task.ID + ": " + task.says()
		if len(task.Dependencies) > 0 {
			lines[i] += fill(t.After, "tasks", strings.Join(task.Dependencies, ", "))
		}
		if len(task.Tools) > 0 {
			lines[i] += fill(t.MayUse, "tools", strings.Join(task.Tools, ", "))
		}
		if task.Status != Pending {
			lines[i] += " [" + task.Status.String() + "]"
		}
	}
	return fill(t.Review, "goal", s.Goal(), "tasks", strings.Join(lines, "\n"))
}

// prompt is what the worker of a task is told: the goal, its task, and of the
// tasks that it depends on directly, what is told of their results.
func (t *Texts) prompt(goal string, task *Task, inputs []Task, told []string) string {
	var b strings.Builder
	for i := range inputs {
		b.WriteString(fill(t.WorkerInput, "id", inputs[i].ID, "status", t.standing(&inputs[i].Outcome), "result", cmp.Or(told[i], t.NoResult)))
	}
	return fill(t.WorkerTask, "goal", goal, "task", task.Description, "inputs", b.String())
}

const (
	longest  = 32_000 // characters of a result that are told whole
	headKept = 2_000
	tailKept = 800
)

// shorten cuts a long result to its head and tail, with a note between.
func shorten(text, note string) string {
	if len(text) <= longest {
		return text
	}
	r := []rune(text)
	if len(r) <= longest {
		return text
	}
	left := fill(note, "characters", fmt.Sprint(len(r)-headKept-tailKept))
	return string(r[:headKept]) + left + string(r[len(r)-tailKept:])
}
