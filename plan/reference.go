package plan

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// reference matches one reference to a result: #E12, with all its digits, or ${task_id}.
var reference = regexp.MustCompile(`#E([0-9]+)|\$\{([^{}]*)\}`)

// refer makes dependencies of the references in the arguments of task i, and
// writes them all as ${task_id}.
func refer(tasks []Task, i int, at map[string]int32, known map[string]bool, faults *faultList) {
	t := &tasks[i]
	if len(t.Arguments) == 0 {
		return
	}
	if t.Tool == "" {
		faults.add(BadTool, t.ID, "it has arguments and names no tool")
		return
	}
	value, ok := object(t.Arguments)
	if !ok {
		faults.add(BadTool, t.ID, "the arguments are not a JSON object")
		return
	}
	if !reference.Match(t.Arguments) {
		return
	}
	told := map[string]bool{}
	value = eachText(value, func(text string) string {
		return reference.ReplaceAllStringFunc(text, func(ref string) string {
			id, fault := resolve(tasks, i, ref, at, known)
			if fault != "" && !told[ref] {
				told[ref] = true
				faults.add(BadReference, t.ID, "the reference %s: %s", ref, fault)
			}
			if fault == "" && !slices.Contains(t.Dependencies, id) {
				t.Dependencies = append(t.Dependencies, id)
			}
			return "${" + id + "}"
		})
	})
	if len(told) == 0 {
		t.Arguments = encode(value)
	}
}

// resolve returns the id of the task that ref means, or what is wrong with it.
func resolve(tasks []Task, i int, ref string, at map[string]int32, known map[string]bool) (id, fault string) {
	if number, ok := strings.CutPrefix(ref, "#E"); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > len(tasks) {
			return "", "there is no such task"
		}
		id = tasks[n-1].ID
		if n-1 >= i {
			return id, "it is not an earlier task"
		}
		return id, ""
	}
	id = ref[2 : len(ref)-1]
	j, ok := at[id]
	switch {
	case ok && int(j) >= i:
		return id, "it is not an earlier task"
	case !ok && !known[id]:
		return id, "there is no such task"
	}
	return id, ""
}

// fillIn puts results in the place of references, in one pass: what stands in
// a result is never taken for a reference.
func fillIn(arguments json.RawMessage, result func(id string) (string, bool)) json.RawMessage {
	value, ok := object(arguments)
	if !ok || !reference.Match(arguments) {
		return arguments
	}
	return encode(eachText(value, func(text string) string {
		return reference.ReplaceAllStringFunc(text, func(ref string) string {
			if strings.HasPrefix(ref, "${") {
				if found, ok := result(ref[2 : len(ref)-1]); ok {
					return found
				}
			}
			return ref
		})
	}))
}

// object returns the JSON object that data is. Numbers keep their text.
func object(data []byte) (any, bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var value map[string]any
	if err := d.Decode(&value); err != nil || value == nil || d.More() {
		return nil, false
	}
	return value, true
}

// eachText replaces all texts in a JSON value, at every depth; names of members
// are left alone.
func eachText(value any, replace func(string) string) any {
	switch v := value.(type) {
	case string:
		return replace(v)
	case []any:
		for i := range v {
			v[i] = eachText(v[i], replace)
		}
	case map[string]any:
		for _, name := range sortedKeys(v) { // in one order, so that faults have one
			v[name] = eachText(v[name], replace)
		}
	}
	return value
}

func sortedKeys(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func encode(value any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil // what came from JSON always encodes
	}
	return bytes.TrimSpace(b.Bytes())
}

// rename gives tasks other ids, wherever they stand.
func rename(tasks []Task, names map[string]string) {
	name := func(id string) string {
		if n, ok := names[id]; ok {
			return n
		}
		return id
	}
	for i := range tasks {
		t := &tasks[i]
		t.ID = name(t.ID)
		for k, id := range t.Dependencies {
			t.Dependencies[k] = name(id)
		}
		t.Arguments = fillIn(t.Arguments, func(id string) (string, bool) { return "${" + name(id) + "}", true })
	}
}
