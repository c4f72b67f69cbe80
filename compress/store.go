package compress

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/triad-go/triad/llm"
)

// A store is a folder with one folder a run in it, and in that a file a result.
// Names are made of lower-case letters, digits, - and _ only, whatever runs and
// tools are called, so they are safe on any system; what a store holds can't
// lead out of it.
type store struct{ dir string }

// An entry is a line of the list of what was kept of a run.
type entry struct {
	ID        string `json:"id"`
	Tool      string `json:"tool"`
	Arguments string `json:"arguments,omitempty"` // the beginning of them
	Length    int    `json:"length"`              // in characters
}

const (
	listID      = "list" // the id by which read_result reads the list
	listFile    = "list.jsonl"
	maxListed   = 200 // characters of arguments
	idPattern   = `res_[a-z2-7]{20}`
	maxBaseName = 40
)

var (
	wholeID = regexp.MustCompile(`^` + idPattern + `$`)
	anyID   = regexp.MustCompile(idPattern)

	errNoID = errors.New("compress: no result has this id")
)

// idOf names a result by what it is. Writing it twice is writing it once, and
// nobody who has not seen it can guess the name.
func idOf(run string, r llm.ToolResult) string {
	return "res_" + sum(run, r.CallID, r.Text)[:20]
}

func sum(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		h.Write([]byte(t))
		h.Write([]byte{0})
	}
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)))
}

// folder names the folder of a run: the id as far as it is safe, and a sum that
// tells runs apart whose ids differ only in the rest. Views without an id share
// one folder.
func folder(run string) string {
	if run == "" {
		return "unnamed"
	}
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, run)
	return safe[:min(len(safe), maxBaseName)] + "-" + sum(run)[:12]
}

// keep writes a result and returns its id. It is on disk when keep returns: the
// history will not have it any more.
func (s store) keep(run string, r llm.ToolResult, arguments string) (string, error) {
	root, err := s.open(true)
	if err != nil {
		return "", err
	}
	defer root.Close()
	id, in := idOf(run, r), folder(run)
	if err := root.MkdirAll(in, 0o700); err != nil {
		return "", err
	}
	name := path.Join(in, id+".txt")
	if info, err := root.Stat(name); err == nil && info.Size() == int64(len(r.Text)) {
		return id, nil
	}
	draft := path.Join(in, id+"."+sum(r.Name, arguments)[:8]+".new")
	if err := write(root, draft, os.O_TRUNC, r.Text); err != nil {
		return "", err
	}
	if err := root.Rename(draft, name); err != nil {
		return "", err
	}
	line, err := json.Marshal(entry{id, r.Name, prefix(arguments, maxListed), utf8.RuneCountInString(r.Text)})
	if err != nil {
		return "", err
	}
	return id, write(root, path.Join(in, listFile), os.O_APPEND, string(line)+"\n")
}

func write(root *os.Root, name string, how int, text string) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|how, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// has tells whether a run keeps a result of that id.
func (s store) has(run, id string) bool {
	root, err := s.open(false)
	if err != nil {
		return false
	}
	defer root.Close()
	_, err = root.Stat(path.Join(folder(run), id+".txt"))
	return err == nil
}

// text returns what a run keeps by that id.
func (s store) text(run, id string) (string, error) {
	name := listFile
	if id != listID {
		if !wholeID.MatchString(id) {
			return "", errNoID
		}
		name = id + ".txt"
	}
	root, err := s.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errNoID
	}
	if err != nil {
		return "", err
	}
	defer root.Close()
	data, err := root.ReadFile(path.Join(folder(run), name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", errNoID
	}
	return string(data), err
}

func (s store) open(make bool) (*os.Root, error) {
	if make {
		if err := os.MkdirAll(s.dir, 0o700); err != nil {
			return nil, err
		}
	}
	return os.OpenRoot(s.dir)
}

// store keeps a result and returns its id, or none if that fails: then it is
// cut as if there were no store.
func (w *work) store(o *Offload, message int, r llm.ToolResult) string {
	c, _ := w.callOf(message, r.CallID)
	id, err := store{o.Dir}.keep(w.view.Run, r, c.Arguments)
	if err != nil {
		return ""
	}
	return id
}

// keptAs returns the id in a preview, if the run's store has it.
func (w *work) keptAs(text string) string {
	if o := w.Offload; o != nil && o.Dir != "" {
		for _, id := range anyID.FindAllString(text, 3) {
			if (store{o.Dir}).has(w.view.Run, id) {
				return id
			}
		}
	}
	return ""
}

// lists tells whether a run has kept anything.
func (s store) lists(run string) bool {
	root, err := s.open(false)
	if err != nil {
		return false
	}
	defer root.Close()
	_, err = root.Stat(path.Join(folder(run), listFile))
	return err == nil
}
