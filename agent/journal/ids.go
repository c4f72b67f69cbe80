package journal

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
)

// IDs yields the ids of the runs that have a log, those within other runs too,
// in the order of their folders' names. An error is the last that it yields.
// Folders that the Dir did not make are passed over.
func (d *Dir) IDs(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		err := filepath.WalkDir(d.root, func(name string, e fs.DirEntry, err error) error {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil || e.IsDir() || e.Name() != logFile {
				return err
			}
			p, err := filepath.Rel(d.root, filepath.Dir(name))
			if err != nil {
				return err
			}
			if id, ok := idOf(p); ok && !yield(id, nil) {
				return filepath.SkipAll
			}
			return nil
		})
		if err != nil {
			yield("", fmt.Errorf("journal: listing the runs: %w", err))
		}
	}
}
