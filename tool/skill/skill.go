package skill

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A Skill is a procedure as its SKILL.md tells it.
type Skill struct {
	Name        string // small letters and digits, joined by single hyphens; at most 64
	Description string // what it is for, in one line
	When        string // when to use it, from when_to_use; may be empty
	Needs       string // what must be there, from compatibility; may be empty
	License     string
	Body        string // the Markdown after the front matter
	Dir         string // where its files are, as the model is told

	// Hidden says that the file keeps the skill from the model
	// (disable-model-invocation).
	Hidden bool
}

// A Warning tells what is odd about a file or a folder. With LeftOut nothing
// was taken from it.
type Warning struct {
	Path    string
	Why     string
	LeftOut bool
}

// String tells the warning in one line.
func (w Warning) String() string {
	if w.LeftOut {
		return "skill: " + w.Path + ": left out: " + w.Why
	}
	return "skill: " + w.Path + ": " + w.Why
}

const (
	maxName        = 64   // of the specification
	maxDescription = 1024 // of the specification; a longer one is cut in the catalogue
)

var goodName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// parse reads the text of a SKILL.md in the folder named folder. What is odd
// and does no harm is told by odd.
func parse(text, folder string) (s Skill, odd []string, err error) {
	if !utf8.ValidString(text) {
		return s, nil, errors.New("it is not UTF-8 text")
	}
	head, body, err := split(text)
	if err != nil {
		return s, nil, err
	}
	fields, odd, err := front(head)
	if err != nil {
		return s, nil, err
	}
	s = Skill{
		Name: fields["name"], Description: oneLine(fields["description"]), When: oneLine(fields["when_to_use"]),
		Needs: oneLine(fields["compatibility"]), License: oneLine(fields["license"]),
		Hidden: fields["disable-model-invocation"] == "true", Body: strings.TrimSpace(body),
	}
	switch {
	case s.Name == "":
		return s, nil, errors.New("it has no name")
	case len(s.Name) > maxName || !goodName.MatchString(s.Name):
		return s, nil, fmt.Errorf("the name %.80q is not small letters and digits, joined by single hyphens, at most %d", s.Name, maxName)
	case s.Description == "":
		return s, nil, errors.New("it has no description")
	}
	if folder != "" && folder != s.Name {
		odd = append(odd, fmt.Sprintf("the folder is named %q and the skill %q", folder, s.Name))
	}
	if n := utf8.RuneCountInString(s.Description); n > maxDescription {
		odd = append(odd, fmt.Sprintf("the description has %d characters; the model is shown %d", n, maxDescription))
	}
	if s.Body == "" {
		odd = append(odd, "it has no text after the front matter")
	}
	return s, odd, nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
