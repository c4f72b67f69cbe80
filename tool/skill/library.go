package skill

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// DefaultMaxBytes is how large a SKILL.md may be.
const DefaultMaxBytes = 128 << 10

// A Library is the skills of some sources. Set its fields before the first
// [Library.Load]; it is empty until then. Its methods may be called by many
// goroutines at once, also while runs use its tool.
type Library struct {
	// Sources are read in this order. A skill of a later one stands in place of
	// an earlier one's of the same name.
	Sources []Source

	// Disabled names skills that are hidden: the model does not see them and
	// can't load them.
	Disabled []string

	// MaxBytes is how large a SKILL.md may be; 0 is [DefaultMaxBytes]. A larger
	// one is left out. A negative MaxBytes is warned of and stands for 0.
	MaxBytes int

	// Texts are the words in which the library speaks to the model.
	Texts Texts

	mu     sync.RWMutex
	skills map[string]Skill
	loads  loads
}

// Load reads the sources anew and returns what is odd about them. What can't be
// read is left out, and the rest is there. Calls under way, and system texts
// that were made, keep what they have seen.
func (l *Library) Load() []Warning {
	skills := make(map[string]Skill)
	var warnings []Warning
	if l.MaxBytes < 0 {
		warnings = append(warnings, Warning{Path: "MaxBytes", Why: fmt.Sprintf("%d is negative; %d is taken", l.MaxBytes, DefaultMaxBytes)})
	}
	for _, source := range l.Sources {
		s := scan{Source: source, maxBytes: l.maxBytes()}
		if source.FS == nil {
			warnings = append(warnings, Warning{Path: source.Dir, Why: "the source has no file system", LeftOut: true})
			continue
		}
		s.dir(".", 0)
		for _, found := range s.found {
			skills[found.Name] = found
		}
		warnings = append(warnings, s.warnings...)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.skills = skills
	return warnings
}

func (l *Library) maxBytes() int { return cmp.Or(max(0, l.MaxBytes), DefaultMaxBytes) }

// Skills returns the skills that the model may use, by name.
func (l *Library) Skills() []Skill {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var list []Skill
	for _, name := range slices.Sorted(maps.Keys(l.skills)) {
		if s, ok := l.find(name); ok {
			list = append(list, s)
		}
	}
	return list
}

// find is called with mu held.
func (l *Library) find(name string) (Skill, bool) {
	s, ok := l.skills[name]
	return s, ok && !s.Hidden && !slices.Contains(l.Disabled, name)
}

// Catalog lists the skills for the system text, one a line: name, description,
// when to use it, what it needs. It is all that the model has to choose by. Make
// it once for each message of the user, as a prompt source is asked; it is
// empty where there are no skills.
func (l *Library) Catalog() string {
	words := l.Texts.complete()
	var lines []string
	for _, s := range l.Skills() {
		line := fill(words.Entry, "name", s.Name, "description", cut(s.Description))
		if s.When != "" {
			line += fill(words.When, "when", cut(s.When))
		}
		if s.Needs != "" {
			line += fill(words.Needs, "needs", cut(s.Needs))
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func cut(text string) string {
	if r := []rune(text); len(r) > maxDescription {
		return string(r[:maxDescription-1]) + "…"
	}
	return text
}
