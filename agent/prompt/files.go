package prompt

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

//go:embed files
var builtIn embed.FS

// The roles of plans and teams that have a built-in file, for [Files.Text] and
// [Source.Mode].
const (
	React        = "react"
	PlanPlanner  = "plan-planner"
	PlanWorker   = "plan-worker"
	PlanCritic   = "plan-critic"
	PlanReporter = "plan-reporter"
	TeamPlanner  = "team-planner"
	TeamWorker   = "team-worker"
	TeamReviewer = "team-reviewer"
	Router       = "router"
)

const maxBytes = 256 << 10 // of a file

// ErrNoFile says that no level has a file for a mode or an approval.
var ErrNoFile = errors.New("there is no such file at any level")

// A FileError says what is wrong with a prompt file. Level counts the file
// systems given to [Load] from 1; 0 is what is built in.
type FileError struct {
	Name  string
	Level int
	Err   error
}

// Error implements error.
func (e *FileError) Error() string {
	return fmt.Sprintf("prompt: %s (level %d): %v", e.Name, e.Level, e.Err)
}

// Unwrap returns the reason.
func (e *FileError) Unwrap() error { return e.Err }

// Files are the prompt files that hold. They never change: load them again to
// see what a user has changed.
type Files struct{ texts map[string]string }

// Load reads the built-in files and puts those of each level in place of them,
// file by file: the last level that has a file wins, also with an empty one,
// which removes its layer on purpose. Names are those of the package comment;
// modes and approvals may have any name, and other files are passed over. A
// level that is nil, or not there, has none.
//
// Byte order marks are dropped and lines end in one line feed. A file that can't
// be read or lacks what the code builds on, such as the section "Reply format"
// of the reviewer, is a [*FileError]; all of them are reported.
func Load(levels ...fs.FS) (*Files, error) {
	f := &Files{texts: make(map[string]string)}
	own, err := fs.Sub(builtIn, "files")
	if err != nil {
		return nil, err
	}
	var faults []error
	for i, level := range append([]fs.FS{own}, levels...) {
		if level == nil {
			continue
		}
		faults = append(faults, f.add(level, i)...)
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return f, nil
}

// add puts the files of a level in place of those that are there.
func (f *Files) add(level fs.FS, number int) (faults []error) {
	for _, dir := range []string{".", "modes", "approval"} {
		entries, err := fs.ReadDir(level, dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, &FileError{dir, number, err})
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			if e.IsDir() || path.Ext(name) != ".md" || dir == "." && !isLayer(name) {
				continue
			}
			text, err := read(level, name)
			if err == nil {
				err = check(name, text)
			}
			if err != nil {
				faults = append(faults, &FileError{name, number, err})
				continue
			}
			f.texts[name] = text
		}
	}
	return faults
}

func read(level fs.FS, name string) (string, error) {
	info, err := fs.Stat(level, name)
	if err == nil && info.Size() > maxBytes {
		err = fmt.Errorf("it is larger than %d bytes", maxBytes)
	}
	if err != nil {
		return "", err
	}
	data, err := fs.ReadFile(level, name)
	if err == nil && !utf8.Valid(data) {
		err = errors.New("it is not UTF-8 text")
	}
	if err != nil {
		return "", err
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.TrimSpace(text), nil
}

const replyFormat = "Reply format"

// sections are what the code that reads a role's replies builds on.
var sections = map[string]string{
	"modes/" + PlanPlanner + ".md":  replyFormat,
	"modes/" + PlanCritic + ".md":   replyFormat,
	"modes/" + TeamPlanner + ".md":  replyFormat,
	"modes/" + TeamReviewer + ".md": replyFormat,
	"modes/" + Router + ".md":       replyFormat,
}

var heading = regexp.MustCompile(`(?m)^#{1,6}[ \t]+(.*?)[ \t#]*$`)

// check says what a file lacks. One that may be empty lacks nothing then.
func check(name, text string) error {
	if want := sections[name]; want != "" && !hasSection(text, want) {
		return fmt.Errorf("the section %q is missing or empty", want)
	}
	if text == "" {
		return nil
	}
	for _, l := range layers {
		for _, value := range l.of {
			if l.file == name && !strings.Contains(text, "{{"+value+"}}") {
				return fmt.Errorf("the mark {{%s}} is missing", value)
			}
		}
	}
	return nil
}

// hasSection tells whether there is text under a heading.
func hasSection(text, want string) bool {
	found := heading.FindAllStringSubmatchIndex(text, -1)
	for i, at := range found {
		end := len(text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		if strings.EqualFold(text[at[2]:at[3]], want) && strings.TrimSpace(text[at[1]:end]) != "" {
			return true
		}
	}
	return false
}

// Text returns the file of a mode or role, such as [TeamReviewer], as it
// stands: values in braces are not filled in. It is empty where there is none.
func (f *Files) Text(mode string) string { return f.texts["modes/"+mode+".md"] }

// Modes returns the names of all modes and roles.
func (f *Files) Modes() (modes []string) {
	for _, name := range slices.Sorted(maps.Keys(f.texts)) {
		if mode, ok := strings.CutPrefix(name, "modes/"); ok {
			modes = append(modes, strings.TrimSuffix(mode, ".md"))
		}
	}
	return modes
}
