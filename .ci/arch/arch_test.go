package arch

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const top = "../.."

var loaded = sync.OnceValues(func() (*Tree, error) { return Load(top) })

func load(t *testing.T) *Tree {
	t.Helper()
	tree, err := loaded()
	require.NoError(t, err)
	require.Contains(t, tree.Files, "go.mod")
	return tree
}

// clean reports each fault on a line of its own.
func clean(t *testing.T, faults []string) {
	t.Helper()
	for _, f := range faults {
		t.Error(f)
	}
}

// GEN-10, OUT-02: imports go down only, and an adapter's modules reach nobody
// who does not import the adapter.
func TestFloors(t *testing.T) {
	for _, gomod := range modules(t) {
		packages, err := Packages(filepath.Dir(gomod))
		require.NoError(t, err)
		clean(t, Floors(packages))
		if filepath.Dir(gomod) != filepath.Clean(top) {
			continue
		}
		require.Equal(t, []string{Module + "/llm"}, Needs(packages, Module+"/llm"), "LLM-01: llm is the standard library alone")
		for _, name := range []string{"agent", "plan", "team"} {
			for _, need := range Needs(packages, Module+"/"+name) {
				require.NotContains(t, need, "openai", name)
			}
		}
	}
}

// modules returns the go.mod files, that of the root first.
func modules(t *testing.T) (paths []string) {
	for _, file := range load(t).paths() {
		if filepath.Base(file) == "go.mod" && !strings.Contains(file, "testdata/") {
			paths = append(paths, filepath.Join(top, file))
		}
	}
	return paths
}

// GEN-10, OUT-02: what go.mod asks of a host is what the design lists.
func TestDirect(t *testing.T) { clean(t, Direct(load(t).Files["go.mod"])) }

func TestLayout(t *testing.T) { clean(t, Layout(load(t))) }
func TestSizes(t *testing.T)  { clean(t, Sizes(load(t))) }
func TestWords(t *testing.T)  { clean(t, Words(load(t))) }

// GEN-01: the deciding files have neither context nor clock nor goroutine.
func TestPure(t *testing.T) { clean(t, Pure(load(t))) }

func TestQuiet(t *testing.T) { clean(t, Quiet(load(t))) }
func TestTypes(t *testing.T) { clean(t, Types(load(t))) }
func TestDocs(t *testing.T)  { clean(t, Docs(load(t))) }
func TestTests(t *testing.T) { clean(t, Tests(load(t))) }
func TestState(t *testing.T) { clean(t, State(load(t))) }

func TestReadme(t *testing.T) { clean(t, Readme(load(t), "README.md")) }

func TestIDs(t *testing.T) {
	var known strings.Builder
	for _, name := range []string{"REQUIREMENTS.md", "FIELD-CASES.md"} {
		text, err := os.ReadFile(filepath.Join(top, "..", "shared", name)) // not in every checkout
		if err == nil {
			known.Write(text)
		}
	}
	faults, named := IDs(load(t), known.String())
	clean(t, faults)
	t.Logf("%d requirements and field cases are named by tests", len(named))
}
