package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"github.com/triad-go/triad/compress"
)

// setWindow reads -window.
func (o *Options) setWindow(s string) error {
	n, err := strconv.Atoi(s)
	if err == nil && n < 1 {
		err = errors.New("must be positive")
	}
	o.Window = n
	return err
}

// Compressor keeps a run inside its window: that of -window, or the model's.
// Results that are put aside lie beside the runs of -journal, or in the
// system's folder for what is temporary.
func (o *Options) Compressor() compress.Compressor {
	dir := filepath.Join(os.TempDir(), "triad-results")
	if o.Journal != "" {
		dir = filepath.Clean(o.Journal) + "-results"
	}
	tiers := compress.Default(nil, dir)
	tiers.Window = o.Window
	return tiers
}
