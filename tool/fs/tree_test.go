package fs_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tree makes a tree of n files of code-like lines, a few of which hold "needle".
func tree(t testing.TB, dir string, n int) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("func return if err nil for range string int package import type struct value = := { } ( )")
	for i := range n {
		var text strings.Builder
		for line := range 20 + random.IntN(150) {
			fmt.Fprintf(&text, "%s%s f%d", strings.Repeat("\t", random.IntN(3)), words[random.IntN(len(words))], line)
			for range random.IntN(8) {
				text.WriteString(" " + words[random.IntN(len(words))])
			}
			if random.IntN(20_000) == 0 {
				text.WriteString(" needle")
			}
			text.WriteString("\n")
		}
		if i == n/2 {
			text.WriteString("the last needle\n")
		}
		path := filepath.Join(dir, fmt.Sprintf("d%d", i%17), fmt.Sprintf("e%d", i/17%29), fmt.Sprintf("f%d.go", i))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o666))
	}
}
