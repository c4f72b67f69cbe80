package plan

import (
	"fmt"
	"strings"
)

// Mermaid returns the plan as a flowchart of mermaid.js, with the statuses. The
// same plan is always the same text.
func (d *DAG) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for i := range d.tasks {
		t := &d.tasks[i]
		fmt.Fprintf(&b, "    n%d[\"%s\"]:::%s\n", i, t.caption("<br/>", mermaidEscape), t.Status)
	}
	for i := range d.tasks {
		for _, j := range d.edges.up[i] {
			fmt.Fprintf(&b, "    n%d --> n%d\n", j, i)
		}
	}
	for _, c := range colors {
		fmt.Fprintf(&b, "    classDef %s fill:%s\n", c.status, c.fill)
	}
	return b.String()
}

// DOT returns the plan as a digraph of Graphviz, with the statuses. The same
// plan is always the same text.
func (d *DAG) DOT() string {
	var b strings.Builder
	b.WriteString("digraph plan {\n    node [shape=box, style=filled];\n")
	for i := range d.tasks {
		t := &d.tasks[i]
		fmt.Fprintf(&b, "    n%d [label=\"%s\", fillcolor=\"%s\"];\n", i, t.caption(`\n`, dotEscape), t.Status.fill())
	}
	for i := range d.tasks {
		for _, j := range d.edges.up[i] {
			fmt.Fprintf(&b, "    n%d -> n%d;\n", j, i)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

var colors = []struct {
	status Status
	fill   string
}{
	{Pending, "#eeeeee"}, {Running, "#cfe2ff"}, {Completed, "#d1e7dd"}, {Partial, "#fff3cd"},
	{Failed, "#f8d7da"}, {Skipped, "#dddddd"}, {Canceled, "#e2d9f3"},
}

func (s Status) fill() string {
	for _, c := range colors {
		if c.status == s {
			return c.fill
		}
	}
	return colors[0].fill
}

const maxCaption = 60 // characters of a description in a drawing

// caption is what a drawing says of a task: id, what it does, and its status.
func (t *Task) caption(newline string, escape func(string) string) string {
	what := t.Description
	if what == "" {
		what = t.Tool + " " + string(t.Arguments)
	}
	what = bounded(strings.Join(strings.Fields(what), " "), maxCaption)
	return escape(t.ID) + newline + escape(what) + newline + "(" + t.Status.String() + ")"
}

// mermaidEscape writes characters that would end a label, or be read as
// markup, as entities.
func mermaidEscape(s string) string {
	return strings.NewReplacer(
		"#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "\n", " ", "\r", " ", "`", "#96;",
	).Replace(s)
}

func dotEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", "").Replace(s)
}
