package demo

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/triad-go/triad/llm/llmtest"
)

// Plan breaks "create NAME" into three tasks, for a plan.Planner, and does them
// as their worker: it writes a small project, reads it back and looks at its
// layout.
func Plan(h History) (llmtest.Answer, bool) {
	name := project(h.Prompt())
	switch does, worker := h.task(); {
	case strings.Contains(h.System, "You break a goal into tasks"):
		return h.plans([]step{
			{ID: "create", Description: "Create the project " + name + "."},
			{ID: "read", Description: "Read " + name + "/pom.xml back.", Dependencies: []string{"create"}},
			{ID: "check", Description: "Check the layout of " + name + ".", Dependencies: []string{"create"}},
			{ID: "report", Description: "Say whether all is there.", Dependencies: []string{"read", "check"}},
		}), true
	case !worker:
		return llmtest.Answer{}, false
	case strings.HasPrefix(does, "Create"):
		return h.create(name), true
	case strings.HasPrefix(does, "Read"):
		return h.lookUp("read_file", map[string]string{"path": name + "/pom.xml"}, func(text string) string {
			return "The artifact is " + between(text, "<artifactId>", "</artifactId>") + "."
		}), true
	case strings.HasPrefix(does, "Check"):
		return h.lookUp("glob", map[string]string{"pattern": name + "/**"}, func(text string) string {
			return "The files are " + strings.Join(strings.Fields(text), ", ") + "."
		}), true
	}
	if given := h.given(); strings.Contains(given, "The artifact is "+name) && strings.Contains(given, "App.java") {
		return llmtest.Text(name + " is created, reads back and has its files in place."), true
	}
	return llmtest.Text("Something is missing."), true
}

// A step is a task of a plan, as a planner writes it.
type step struct {
	ID           string   `json:"id"`
	Description  string   `json:"description"`
	Dependencies []string `json:"dependencies,omitempty"`
	Order        int      `json:"order"`
}

func (h History) plans(steps []step) llmtest.Answer {
	data, err := json.Marshal(map[string]any{"tasks": steps})
	if err != nil {
		return llmtest.Fail(fmt.Errorf("demo: encoding a plan: %w", err))
	}
	return llmtest.Text("Here is the plan.\n```json\n" + string(data) + "\n```")
}

// task returns what a worker of a plan is told to do.
func (h History) task() (does string, ok bool) {
	_, rest, ok := strings.Cut(h.Prompt(), "Your task:\n")
	does, _, _ = strings.Cut(rest, "\n\n")
	return does, ok
}

// given returns the results that a worker of a plan is told.
func (h History) given() string {
	_, rest, _ := strings.Cut(h.Prompt(), "Your task:\n")
	return rest
}

func (h History) create(name string) llmtest.Answer {
	if len(h.results("write_file")) > 0 {
		return llmtest.Text("Created " + name + " with its build file, one class and a README.")
	}
	return h.calls("I write the files.", []use{
		{"write_file", map[string]string{"path": path.Join(name, "pom.xml"), "content": "<project>\n  <modelVersion>4.0.0</modelVersion>\n  <groupId>demo</groupId>\n  <artifactId>" + name + "</artifactId>\n  <version>1</version>\n</project>\n"}},
		{"write_file", map[string]string{"path": path.Join(name, "src/main/java/App.java"), "content": "class App {\n    public static void main(String[] args) {\n        System.out.println(\"" + name + "\");\n    }\n}\n"}},
		{"write_file", map[string]string{"path": path.Join(name, "README.md"), "content": "# " + name + "\n"}},
	})
}

// lookUp calls a tool once and answers from what it says.
func (h History) lookUp(tool string, arguments any, says func(text string) string) llmtest.Answer {
	found, done := h.Result(tool)
	switch {
	case !done:
		return h.call("I look.", tool, arguments)
	case found.Failed:
		return llmtest.Text("I could not look: " + firstLine(found.Text))
	}
	return llmtest.Text(says(found.Text))
}

var creates = regexp.MustCompile(`(?i)create (?:the project |a project |project )?([a-z][a-z0-9_-]*)`)

// project returns the name of what is to be created.
func project(goal string) string {
	if m := creates.FindStringSubmatch(goal); m != nil {
		return m[1]
	}
	return "demoapp"
}

func between(text, open, end string) string {
	_, rest, _ := strings.Cut(text, open)
	found, _, _ := strings.Cut(rest, end)
	return found
}

// Research plans, works, judges and reports on a folder of documents, for a
// plan.Research: a first round looks for them, the critic misses their words,
// and a second one reads them.
func Research(h History) (llmtest.Answer, bool) {
	does, worker := h.task()
	prompt := h.Prompt()
	switch {
	case strings.Contains(h.System, "You break a goal into tasks") && !strings.Contains(prompt, "Documents: "):
		return h.plans([]step{{ID: "list", Description: "List the documents."}}), true
	case strings.Contains(h.System, "You break a goal into tasks"):
		var steps []step
		for i, file := range documents(prompt) {
			steps = append(steps, step{ID: fmt.Sprint(i + 1), Description: "Read " + file, Order: i / 3})
		}
		return h.plans(steps), true
	case strings.Contains(h.System, "You judge"):
		if passed := strings.Contains(prompt, " says: "); !passed {
			return llmtest.Text(`{"passed": false, "feedback": "The documents are known, but none has been read."}`), true
		}
		return llmtest.Text(`{"passed": true, "feedback": ""}`), true
	case strings.Contains(h.System, "You write reports"):
		return llmtest.Text(report(prompt)), true
	case worker && strings.HasPrefix(does, "List"):
		return h.lookUp("glob", map[string]string{"pattern": "**/*.{md,txt}"}, func(text string) string {
			return "Documents: " + strings.Join(strings.Fields(text), " ")
		}), true
	case worker:
		file := strings.TrimPrefix(does, "Read ")
		return h.lookUp("read_file", map[string]string{"path": file}, func(text string) string {
			return file + " says: " + strings.TrimLeft(firstLine(text), "# ")
		}), true
	}
	return llmtest.Answer{}, false
}

// documents returns the files that a result names, without hidden ones.
func documents(text string) []string {
	_, rest, _ := strings.Cut(text, "Documents: ")
	line, _, _ := strings.Cut(rest, "\n")
	return slices.DeleteFunc(strings.Fields(line), func(f string) bool { return !strings.Contains(f, ".") || strings.HasPrefix(f, ".") })
}

// report makes a report of what the documents say.
func report(results string) string {
	results, _, _ = strings.Cut(results, "\n\nThe critic says: ")
	lines := []string{"# Report", ""}
	for line := range strings.Lines(results) {
		if file, says, ok := strings.Cut(strings.TrimSpace(line), " says: "); ok {
			lines = append(lines, "- "+file+": "+says)
		}
	}
	return strings.Join(lines, "\n")
}
