package demo

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/triad-go/triad/llm/llmtest"
)

// React looks at a folder as somebody new to it would. It lists it, reads the
// file that tells most, and searches for what the prompt puts in quotes or asks
// the place of; then it says what it found. Asked to, it also runs the command
// that the prompt puts in quotes, or writes its answer to the file that it names.
func React(h History) (llmtest.Answer, bool) {
	if !h.Offers("list_dir") || !h.Offers("read_file") || !h.Offers("grep") {
		return llmtest.Answer{}, false
	}
	listing, listed := h.Result("list_dir")
	if !listed {
		return h.call("First I look at what is there.", "list_dir", map[string]string{"path": "."}), true
	}
	entries := names(listing.Text)
	says := []string{fmt.Sprintf("The folder holds %d entries: %s.", len(entries), strings.Join(entries, ", "))}
	var next []use
	for _, l := range looks(h, entries) {
		if result, made := h.made(l.use); !made {
			next = append(next, l.use)
		} else {
			says = append(says, l.tells(result.Text))
		}
	}
	if len(next) > 0 {
		return h.calls("Now I look closer.", next), true
	}
	answer := strings.Join(says, "\n")
	if file := target.FindStringSubmatch(h.Prompt()); file != nil && h.Offers("write_file") {
		if result, written := h.Result("write_file"); written {
			return llmtest.Text(firstLine(result.Text)), true
		}
		return h.call("That is all. I write it down.", "write_file", map[string]string{"path": file[1], "content": answer + "\n"}), true
	}
	return llmtest.Text(answer), true
}

// A look is a call that tells something.
type look struct {
	use
	tells func(result string) string
}

// looks returns the looks that the prompt calls for.
func looks(h History, entries []string) (all []look) {
	prompt := h.Prompt()
	if file := telling(entries); file == "go.mod" && h.says("depend", "require") {
		all = append(all, look{use{"read_file", map[string]any{"path": file}}, requirements})
	} else if file != "" {
		all = append(all, look{use{"read_file", map[string]any{"path": file, "limit": 20}}, func(page string) string {
			return fmt.Sprintf("%s begins with “%s”.", file, firstLine(page))
		}})
	}
	if subject := quoted(prompt); subject != "" && h.says("run ") && h.Offers("run_command") {
		all = append(all, look{use{"run_command", map[string]string{"command": subject}}, func(report string) string {
			return "The command says: " + report
		}})
	} else if subject != "" {
		all = append(all, look{use{"grep", map[string]string{"pattern": regexp.QuoteMeta(subject)}}, func(found string) string {
			return fmt.Sprintf("A search for “%s” gives: %s", subject, firstLine(found))
		}})
	}
	if m := place.FindStringSubmatch(prompt); m != nil {
		pattern := `^(type|func) (?i:` + regexp.QuoteMeta(m[1]) + `)\b`
		all = append(all, look{use{"grep", map[string]string{"pattern": pattern}}, func(found string) string {
			if !match.MatchString(found) {
				return fmt.Sprintf("I see no %s.", m[1])
			}
			return fmt.Sprintf("The %s is at %s", m[1], firstLine(found))
		}})
	}
	return all
}

var (
	quotes = regexp.MustCompile("(?:^|\\s)[\"“'`]([^\"”'`]+)[\"”'`]")
	place  = regexp.MustCompile(`(?i)\bwhere is the (\w+)`)
	match  = regexp.MustCompile(`^[^:\n]+:\d+:`)
	target = regexp.MustCompile(`(?i)\bwrite\b.*\bto ([\w./-]+\.\w+)`)
	module = regexp.MustCompile(`(?m)^(?:require\s+|\t)(\S+\.\S+) v\S+( // indirect)?`)
)

// requirements tells what a go.mod requires: by name what the module uses
// itself, if that is marked at all.
func requirements(gomod string) string {
	var direct, all []string
	for _, m := range module.FindAllStringSubmatch(gomod, -1) {
		all = append(all, m[1])
		if m[2] == "" {
			direct = append(direct, m[1])
		}
	}
	if len(direct) == 0 {
		return fmt.Sprintf("By go.mod it depends on %d modules: %s.", len(all), strings.Join(all, ", "))
	}
	return fmt.Sprintf("By go.mod it depends on %d modules, on %d of them directly: %s.", len(all), len(direct), strings.Join(direct, ", "))
}

// names returns the entries of a listing, without their sizes and without those
// that begin with a dot.
func names(listing string) (entries []string) {
	for line := range strings.Lines(listing) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " (")
		if name != "" && !strings.HasPrefix(name, ".") {
			entries = append(entries, name)
		}
	}
	return entries
}

// telling returns the entry that says most about a folder, or "".
func telling(entries []string) string {
	for _, name := range []string{"go.mod", "package.json", "pom.xml", "README.md", "README"} {
		if slices.Contains(entries, name) {
			return name
		}
	}
	for _, name := range entries {
		if strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".txt") || strings.HasSuffix(name, ".go") {
			return name
		}
	}
	return ""
}

// quoted returns the first words in quotes.
func quoted(prompt string) string {
	if m := quotes.FindStringSubmatch(prompt); m != nil {
		return m[1]
	}
	return ""
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
