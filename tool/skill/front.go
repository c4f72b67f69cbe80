package skill

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

const fence = "---"

// split parts the front matter from the body. A byte order mark is dropped, and
// lines end in one line feed from here on.
func split(text string) (head, body string, err error) {
	text = strings.TrimPrefix(text, "\ufeff")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != fence {
		return "", "", errors.New("it does not begin with front matter (a line ---)")
	}
	for at := 0; at < len(rest); {
		line, _, _ := strings.Cut(rest[at:], "\n")
		next := min(at+len(line)+1, len(rest))
		if strings.TrimRight(line, " \t") == fence {
			return rest[:at], rest[next:], nil
		}
		at = next
	}
	return "", "", errors.New("its front matter is not closed (a second line ---)")
}

// known are the fields that mean something, here or to others.
var known = map[string]bool{
	"name": true, "description": true, "when_to_use": true, "compatibility": true, "license": true,
	"metadata": true, "allowed-tools": true, "disable-model-invocation": true,
}

// texts are those whose value is one text or number.
var texts = []string{"name", "description", "when_to_use", "compatibility", "license", "disable-model-invocation"}

// front reads front matter. Values that YAML refuses because they stand there
// without quotes, such as one with a colon, are read as they were meant.
func front(head string) (fields map[string]string, odd []string, err error) {
	pairs, err := mapping(head)
	if err != nil {
		if again, e := mapping(quoteBare(head)); e == nil {
			pairs, err = again, nil
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("its front matter can't be read: %s", oneLine(err.Error()))
	}
	nodes := make(map[string]*yaml.Node)
	for i := 0; i+1 < len(pairs); i += 2 {
		key := pairs[i].Value
		if nodes[key] != nil {
			return nil, nil, fmt.Errorf("its front matter has %.80q twice", key)
		}
		if nodes[key] = pairs[i+1]; !known[key] {
			odd = append(odd, fmt.Sprintf("the field %.80q is not known", key))
		}
	}
	fields = make(map[string]string)
	for _, key := range texts {
		n := nodes[key]
		switch {
		case n == nil || n.Tag == "!!null":
		case n.Kind != yaml.ScalarNode:
			return nil, nil, fmt.Errorf("its %s is not a text", key)
		default:
			fields[key] = strings.TrimSpace(n.Value)
		}
	}
	return fields, odd, nil
}

// mapping returns the keys and values of a YAML mapping, one after the other.
func mapping(head string) ([]*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(head), &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, nil // empty, or comments alone
	}
	if doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("it is not a list of fields")
	}
	return doc.Content[0].Content, nil
}

var field = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*):[ \t]+(.+)$`)

// quoteBare puts quotes around the values that can't be read by themselves and
// have none. Each field is looked at with the lines that go on with it.
func quoteBare(head string) string {
	lines := strings.Split(head, "\n")
	var out []string
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && strings.HasPrefix(lines[end], " ") {
			end++
		}
		block := strings.Join(lines[i:end], "\n")
		m := field.FindStringSubmatch(lines[i])
		if _, err := mapping(block); err != nil && m != nil && !strings.ContainsAny(m[2][:1], `"'|>`) {
			value := oneLine(m[2] + " " + strings.Join(lines[i+1:end], " "))
			block = m[1] + ": '" + strings.ReplaceAll(value, "'", "''") + "'"
		}
		out = append(out, block)
		i = end
	}
	return strings.Join(out, "\n")
}
