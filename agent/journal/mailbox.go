package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Names in a run's folder.
const (
	boxName   = "mailbox"
	takenName = "taken" // within the mailbox
)

// Post implements [Mailbox]: it writes one file, whose name has the number of
// the post. What the owner has taken stays in a folder beside, so that a post
// that is repeated is known.
func (d *Dir) Post(ctx context.Context, id string, p Post) error {
	p, err := p.check()
	if err == nil && p.For == 0 {
		p.For, err = d.length(ctx, id)
	}
	if err == nil {
		err = d.post(ctx, id, p)
	}
	if err != nil {
		return fmt.Errorf("journal: posting %q to %s: %w", p.ID, id, err)
	}
	return nil
}

func (d *Dir) post(ctx context.Context, id string, p Post) error {
	box, err := d.box(id)
	if err != nil {
		return err
	}
	name := "-" + escape(p.ID) + ".json"
	if len(name) > maxName {
		return fmt.Errorf("it is too long: %w", ErrID)
	}
	line, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPost, err)
	}
	if err := d.enter(ctx); err != nil {
		return err
	}
	defer d.leave()
	if err := os.MkdirAll(filepath.Join(box, takenName), 0o700); err != nil {
		return err
	}
	lock, _, err := openLocked(filepath.Join(box, lockFile), os.O_RDWR|os.O_CREATE, lockAlone)
	if err != nil {
		return err
	}
	defer lock.Close()
	last := 0
	for _, dir := range []string{box, filepath.Join(box, takenName)} {
		letters, err := lettersIn(dir)
		if err != nil {
			return err
		}
		for _, l := range letters {
			if last = max(last, l.number); l.id != p.ID {
				continue
			}
			old, err := d.letter(id, l.file)
			if err == nil && !old.same(p) {
				err = ErrConflict
			}
			if err == nil {
				err = d.syncUp(dir) // who posted it first may have died before
			}
			return err
		}
	}
	return d.put(box, fmt.Sprintf("%06d", last+1)+name, seal(nil, line[1:]))
}

// put makes a file appear whole, and its name durable.
func (d *Dir) put(dir, name string, data []byte) error {
	f, err := os.OpenFile(filepath.Join(dir, "new"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = d.syncs.sync(f)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), filepath.Join(dir, name)); err != nil {
		return err
	}
	return d.syncUp(dir)
}

// Posts implements [Mailbox]. A post that can't be read is a [*DamagedError].
func (d *Dir) Posts(ctx context.Context, id string) ([]Post, error) {
	posts, err := d.posts(ctx, id)
	if err != nil {
		err = fmt.Errorf("journal: reading the posts of %s: %w", id, err)
	}
	return posts, err
}

func (d *Dir) posts(ctx context.Context, id string) ([]Post, error) {
	box, err := d.box(id)
	if err != nil {
		return nil, err
	}
	if err := d.enter(ctx); err != nil {
		return nil, err
	}
	defer d.leave()
	letters, err := lettersIn(box)
	if err != nil {
		return nil, err
	}
	var posts []Post
	var errs []error
	for _, l := range letters {
		p, err := d.letter(id, l.file)
		switch {
		case errors.Is(err, fs.ErrNotExist): // taken this moment
		case err != nil:
			errs = append(errs, err)
		default:
			posts = append(posts, p)
		}
	}
	return posts, errors.Join(errs...)
}

// Taken implements [Mailbox].
func (d *Dir) Taken(ctx context.Context, id, postID string) error {
	if err := d.take(ctx, id, postID); err != nil {
		return fmt.Errorf("journal: taking post %q of %s: %w", postID, id, err)
	}
	return nil
}

func (d *Dir) take(ctx context.Context, id, postID string) error {
	box, err := d.box(id)
	if err != nil {
		return err
	}
	if err := d.enter(ctx); err != nil {
		return err
	}
	defer d.leave()
	lock, _, err := openLocked(filepath.Join(box, lockFile), os.O_RDWR, lockAlone)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was ever posted
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	letters, err := lettersIn(box)
	if err != nil {
		return err
	}
	for _, l := range letters {
		if l.id != postID {
			continue
		}
		to := filepath.Join(box, takenName)
		err := os.Rename(l.file, filepath.Join(to, filepath.Base(l.file)))
		if err == nil {
			err = errors.Join(d.syncs.folder(to), d.syncs.folder(box))
		}
		return err
	}
	return nil
}

func (d *Dir) box(id string) (string, error) {
	dir, err := d.folder(id)
	return filepath.Join(dir, boxName), err
}

// A letter is the file of a post: 000012-its%20id.json.
type letter struct {
	file   string
	number int
	id     string
}

// lettersIn returns the letters in a folder, in the order in which they came.
// Other files are none.
func lettersIn(dir string) ([]letter, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var letters []letter
	for _, f := range files {
		number, name, _ := strings.Cut(f.Name(), "-")
		name, isLetter := strings.CutSuffix(name, ".json")
		n, err := strconv.Atoi(number)
		id, ok := unescape(name)
		if err == nil && ok && isLetter {
			letters = append(letters, letter{filepath.Join(dir, f.Name()), n, id})
		}
	}
	slices.SortStableFunc(letters, func(a, b letter) int { return a.number - b.number })
	return letters, err
}

// letter reads a post of the run.
func (d *Dir) letter(id, file string) (Post, error) {
	line, err := os.ReadFile(file)
	if err != nil {
		return Post{}, err
	}
	damaged := &DamagedError{id, boxName + "/" + filepath.Base(file), 1, "it is not what was posted"}
	rest, ok := unseal(line[:max(len(line)-1, 0)])
	if !ok || line[len(line)-1] != '\n' {
		return Post{}, damaged
	}
	var p Post
	if err := json.Unmarshal(append([]byte{'{'}, rest...), &p); err != nil {
		return Post{}, damaged
	}
	return p, nil
}
