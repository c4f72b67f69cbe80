package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// A snapshot is files as they were before the run changed them; nil is none. It
// lasts as long as the process.
type snapshot map[string][]byte

// take keeps the file, unless it is kept already.
func (s snapshot) take(root *os.Root, name string) error {
	if _, kept := s[name]; kept {
		return nil
	}
	text, err := root.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keeping %s: %w", name, err)
	}
	s[name] = text
	return nil
}

// restore puts the files back.
func (s snapshot) restore(root *os.Root) (err error) {
	for name, text := range s {
		if text == nil {
			if gone := root.Remove(name); !errors.Is(gone, fs.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		} else {
			err = errors.Join(err, root.WriteFile(name, text, 0o644))
		}
	}
	return err
}
