package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

const lockFile = "lock"

// Claim implements [Claimer] with file locks: alone on the run, shared on every
// run above it, so that an owner has its run's whole tree and runs side by side
// do not meet. The lock ends with the process, however it ends; the next owner
// need not wait. The claim never has to be renewed, but it must be kept: a claim
// that nobody refers to any more is released when it is collected.
func (d *Dir) Claim(ctx context.Context, id string) (Claim, error) {
	c, err := d.claim(ctx, id)
	if errors.Is(err, errLocked) {
		err = ErrBusy
	}
	if err != nil {
		return nil, fmt.Errorf("journal: claiming %s: %w", id, err)
	}
	return c, nil
}

func (d *Dir) claim(ctx context.Context, id string) (*dirClaim, error) {
	dir, err := d.folder(id)
	if err != nil {
		return nil, err
	}
	if err := d.enter(ctx); err != nil {
		return nil, err
	}
	defer d.leave()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	c := &dirClaim{id: id}
	chain := []string{dir}
	for above := filepath.Dir(dir); above != d.root; above = filepath.Dir(above) {
		chain = append(chain, above)
	}
	for i, dir := range slices.Backward(chain) { // the root of the tree first
		how := lockShared
		if i == 0 {
			how = lockAlone
		}
		f, _, err := openLocked(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, how|lockNow)
		if err != nil {
			return nil, errors.Join(err, c.Release(ctx))
		}
		c.files = append(c.files, f)
	}
	return c, nil
}

// A dirClaim holds the lock files open: the run's own is the last.
type dirClaim struct {
	id    string
	mu    sync.Mutex
	files []*os.File
}

// Renew tells whether the claim was released, or its lock file removed.
func (c *dirClaim) Renew(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.files) == 0 {
		return fmt.Errorf("journal: renewing %s: %w", c.id, ErrLost)
	}
	for _, f := range c.files {
		held, err := f.Stat()
		if err != nil {
			return fmt.Errorf("journal: renewing %s: %w", c.id, err)
		}
		now, err := os.Stat(f.Name())
		if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(held, now) {
			return fmt.Errorf("journal: renewing %s: its lock was removed: %w", c.id, ErrLost)
		}
	}
	return nil
}

// Every implements [Claim].
func (c *dirClaim) Every() time.Duration { return 0 }

// Release implements [Claim]. The lock files stay: removing one would let two
// own it, who opened it before and after.
func (c *dirClaim) Release(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, f := range c.files {
		errs = append(errs, f.Close())
	}
	c.files = nil
	return errors.Join(errs...)
}
