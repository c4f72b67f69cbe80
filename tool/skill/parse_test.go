package skill

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func md(head string) string { return "---\nname: x\n" + head + "\n---\nDo this.\n" }

// SKL-01, SKL-E102: the forms in which others write front matter.
func TestDescriptions(t *testing.T) {
	for name, c := range map[string]struct{ head, want string }{
		"plain":                     {"description: Makes reports", "Makes reports"},
		"double quotes":             {`description: "when: a \"b\" comes"`, `when: a "b" comes`},
		"single quotes":             {`description: 'it''s: so'`, "it's: so"},
		"folded":                    {"description: >\n  one\n  two\n\n  three", "one two three"},
		"folded, no last feed":      {"description: >-\n  one\n  two", "one two"},
		"literal":                   {"description: |\n  one: a\n  two # b", "one: a two # b"},
		"lines that go on":          {"description: one\n  two", "one two"},
		"a bare colon":              {"description: when: x", "when: x"},
		"a bare colon that goes on": {"description: Use when: x\n  or y's: z", "Use when: x or y's: z"},
		"a colon at the end":        {"description: use as follows:", "use as follows:"},
		"brackets":                  {"description: [draft] does: x", "[draft] does: x"},
		"a reserved character":      {"description: `x` and @y", "`x` and @y"},
		"a number":                  {"description: 42", "42"},
		"a comment":                 {"# about\ndescription: x # not this", "x"},
		"an apostrophe and colon":   {"description: don't: do", "don't: do"},
		"known fields":              {"description: x\nlicense: MIT\nallowed-tools: Read Grep\nmetadata:\n  author: me\n  tags: [a, b]", "x"},
		"a list beside a colon":     {"description: a: b\nmetadata:\n  tags:\n    - c", "a: b"},
	} {
		s, odd, err := parse(md(c.head), "x")
		require.NoError(t, err, name)
		require.Empty(t, odd, name)
		require.Equal(t, c.want, s.Description, name)
		require.Equal(t, "Do this.", s.Body, name)
	}
}

// SKL-E101: what keeps a file from being loaded.
func TestRefused(t *testing.T) {
	for why, text := range map[string]string{
		"does not begin with front matter": "# Title\n---\nname: x\n---\n",
		"is not closed":                    "---\nname: x\ndescription: y\n",
		"no name":                          "---\ndescription: y\n---\n",
		"no description":                   "---\nname: x\n---\n",
		"no description ":                  md("description:"),
		"no description  ":                 md("description: ~"),
		"no description   ":                md(`description: "  "`),
		"small letters":                    "---\nname: Not Good\ndescription: y\n---\n",
		"small letters ":                   "---\nname: ../x\ndescription: y\n---\n",
		"small letters  ":                  "---\nname: a--b\ndescription: y\n---\n",
		"small letters   ":                 "---\nname: " + strings.Repeat("a", 65) + "\ndescription: y\n---\n",
		"can't be read":                    md("description: \"open\nname"),
		"can't be read ":                   md("description: a\n\tb: c\n  - d: [}"),
		"not a list of fields":             "---\n- name\n---\n",
		"twice":                            md("description: y\nname: z"),
		"is not a text":                    md("description: [a, b]"),
		"is not UTF-8":                     md("description: \xff"),
		"no name ":                         "---\n---\n",
		"does not begin ":                  "",
	} {
		_, _, err := parse(text, "x")
		require.ErrorContains(t, err, strings.TrimSpace(why), text)
	}
}

// SKL-E101, SKL-E102: CRLF and a byte order mark work; what is odd is told.
func TestOdd(t *testing.T) {
	want, _, err := parse(md("description: >\n  a\n  b"), "x")
	require.NoError(t, err)
	got, odd, err := parse("\ufeff"+strings.ReplaceAll(md("description: >\n  a\n  b"), "\n", "\r\n"), "x")
	require.NoError(t, err)
	require.Empty(t, odd)
	require.Equal(t, want, got)

	s, odd, err := parse("--- \nname: x\ndescription: "+strings.Repeat("é", 1025)+"\ncolour: red\nwhen_to_use: at: night\ncompatibility: git\ndisable-model-invocation: true\n---\t", "other")
	require.NoError(t, err)
	require.Equal(t, []string{
		`the field "colour" is not known`, `the folder is named "other" and the skill "x"`,
		"the description has 1025 characters; the model is shown 1024", "it has no text after the front matter",
	}, odd)
	require.Equal(t, "at: night git", s.When+" "+s.Needs)
	require.True(t, s.Hidden)
}

// A mark inside the body is the body's.
func TestSplitOnce(t *testing.T) {
	head, body, err := split("---\na: b\n---\nx\n---\ny")
	require.NoError(t, err)
	require.Equal(t, "a: b\n|x\n---\ny", head+"|"+body)
}

// SKL-E102: whatever the text, written in single quotes or bare it is read as it was meant.
func TestAnyDescription(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := oneLine(rapid.StringMatching(`[A-Za-z][a-z:'"#,.!?()&*%@-]{0,12}( [a-z:'",.!?()&*%@-]{1,8}){0,4}[a-z]`).Draw(t, "text"))
		s, _, err := parse(md("description: '"+strings.ReplaceAll(text, "'", "''")+"'"), "x")
		require.NoError(t, err)
		require.Equal(t, text, s.Description)
		s, _, err = parse(md("description: "+text), "x")
		require.NoError(t, err)
		require.Equal(t, text, s.Description)
	})
}

// SKL-E101: no text makes the reader panic, and what is read keeps the rules.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		md("description: when: x"), md("description: >\n  a\n  b"), "---\n---", "---\na: &a [*a]\n---", md("description: [a: b"),
		"\ufeff---\r\nname: x\r\n---\r\n", md("<<: {description: y}"), md("description: !!binary aGk="),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, _, err := parse(text, "x")
		if err == nil && (!goodName.MatchString(s.Name) || s.Description == "" || strings.Contains(s.Description+s.When, "\n") || strings.Contains(s.Body, "\r")) {
			t.Fatalf("%q was read as %+v", text, s)
		}
	})
}
