package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// migrate writes the log in the present format, in a file that takes the place
// of f. It returns the new file, locked.
func (d *Dir) migrate(id, dir string, f *os.File) (*os.File, fs.FileInfo, error) {
	name := filepath.Join(dir, logFile)
	to, err := os.OpenFile(name+".new", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("migrating it: %w", err)
	}
	err = rewrite(id, to, f)
	if err == nil {
		err = d.syncs.sync(to)
	}
	if err == nil {
		err = flock(to, lockAlone|lockNow)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = to.Stat()
	}
	if err == nil {
		err = os.Rename(to.Name(), name)
	}
	if err == nil {
		err = d.syncs.folder(dir)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("migrating it: %w", errors.Join(err, to.Close()))
	}
	return to, info, nil
}

// rewrite writes the entries of a log of any known version to another file.
func rewrite(id string, to, from *os.File) error {
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return err
	}
	out := bufio.NewWriter(to)
	if _, err := out.Write(header()); err != nil {
		return err
	}
	n, enc := 0, newEncoder()
	for e, err := range newReader(id, from).entries() {
		if err != nil {
			return err
		}
		line, err := enc.encode(n, []Entry{e})
		if err != nil {
			return err
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
		n++
	}
	return out.Flush()
}
