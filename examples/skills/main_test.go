package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/examples/internal/cli"
)

func try(t *testing.T, args ...string) (status int, out string) {
	t.Helper()
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	var s shelf
	var o, e bytes.Buffer
	status = cli.Run(t.Context(), s.run, append([]string{"skills"}, args...), strings.NewReader(""), &o, &e, s.flags)
	return status, o.String() + e.String()
}

func write(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// EX-01, SKL-02: the skill that fits is loaded and followed.
func TestSkills(t *testing.T) {
	dir := write(t, map[string]string{"go.mod": "module demo\n", "a.go": "// Package demo shows.\npackage demo\n"})
	status, out := try(t, "-dir", dir, "What is this module?")
	require.Equal(t, 0, status, out)
	require.Contains(t, out, "→ load_skill {\"name\":\"describe-module\"}\n← load_skill: Skill describe-module.")
	require.True(t, strings.HasSuffix(out, "By the skill describe-module:\nread_file: module demo\na.go:1:// Package demo shows.\nlist_dir: a.go (36 bytes)\n"), out)

	status, out = try(t, "-dir", dir, "What is the weather?")
	require.Equal(t, 0, status)
	require.Equal(t, "None of the skills is about that.\n", out)
}

// On the files of this module, whose lines are many, the answer is short.
func TestSkillsOnThisModule(t *testing.T) {
	for _, question := range []string{"What is this module?", "What headings are there?"} {
		status, out := try(t, "-dir", "../..", question)
		require.Equal(t, 0, status, out)
		_, answer, found := strings.Cut(out, "By the skill ")
		require.True(t, found, out)
		require.Less(t, strings.Count(answer, "\n"), 30, out)
	}
}

// SKL-05: a new skill is a new folder, and no code; one that is faulty is left out.
func TestSkillsOfYourOwn(t *testing.T) {
	skills := write(t, map[string]string{
		"greeting/SKILL.md": "---\nname: find-greeting\ndescription: Finds: greetings\n---\nLook: `grep {\"pattern\": \"hello\"}`.\n",
		"faulty/SKILL.md":   "no front matter",
	})
	status, out := try(t, "-dir", write(t, map[string]string{"a.txt": "hello\n"}), "-skills", skills, "Where is a greeting?")
	require.Equal(t, 0, status, out)
	require.Contains(t, out, "faulty/SKILL.md: left out: it does not begin with front matter")
	require.Contains(t, out, "Directory: "+skills+"/greeting")
	require.True(t, strings.HasSuffix(out, "By the skill find-greeting:\na.txt:1:hello\n"), out)
}
