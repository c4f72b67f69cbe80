package shell

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/triad-go/triad/tool"
)

// description is that of run_command; the tool is data, so a host can set another.
func description(limit, most time.Duration) string {
	text := "Runs a command line with the system's shell in the working directory and returns its exit code and output. " +
		"Standard input is empty: nothing can be typed in, so pass flags that avoid questions. " +
		"Every command starts anew: a changed directory or variable does not last to the next. " +
		"Long output is cut in the middle. What a command leaves running in the background is ended with it."
	limit = cmp.Or(limit, tool.DefaultLimit)
	most = cmp.Or(most, max(tool.DefaultLimitCap, limit))
	if limit == tool.Unlimited {
		return text + fmt.Sprintf(" There is no time limit; timeout_seconds asks for one, up to %v.", most.Seconds())
	}
	return text + fmt.Sprintf(" The time limit is %v seconds; timeout_seconds asks for another, up to %v: "+
		"ask for more where a project is configured, and for most where it is built or tested.",
		min(limit, most).Seconds(), most.Seconds())
}

// Texts are the words of a result beside a program's own. A field that is empty
// stands for the English text, so the zero Texts is all English. Words in
// braces are filled in.
type Texts struct {
	Refused   string // {rule}
	ExitCode  string // {code}
	Signal    string // {state}: what ended the program, such as "signal: killed"
	Cut       string // when the call ended it, at the limit or canceled; {elapsed}
	Stdout    string // before what the program wrote to standard output
	Stderr    string // before what it wrote to standard error
	NoOutput  string
	LeftOut   string // in place of the middle of long output; {bytes}
	Binary    string // in place of output that is no text; {bytes}
	Leftovers string // when what it left running in the background was ended
	NoFile    string // when its output file can't be read; {problem}
}

// complete returns t with the English words where t has none.
func (t Texts) complete() Texts {
	return Texts{
		Refused: cmp.Or(t.Refused,
			"The command was refused by a rule and did not run. The rule: {rule}. Find another way, or ask the user to do it."),
		ExitCode:  cmp.Or(t.ExitCode, "exit code: {code}"),
		Signal:    cmp.Or(t.Signal, "ended by {state}"),
		Cut:       cmp.Or(t.Cut, "ended from outside after {elapsed}; what it did until then stays done"),
		Stdout:    cmp.Or(t.Stdout, "stdout:"),
		Stderr:    cmp.Or(t.Stderr, "stderr:"),
		NoOutput:  cmp.Or(t.NoOutput, "(no output)"),
		LeftOut:   cmp.Or(t.LeftOut, "\n[... {bytes} bytes left out ...]\n"),
		Binary:    cmp.Or(t.Binary, "(binary output, {bytes} bytes: not shown)"),
		Leftovers: cmp.Or(t.Leftovers, "(what it left running in the background was ended)"),
		NoFile:    cmp.Or(t.NoFile, "The program ended, but its output file can't be read: {problem}"),
	}
}

// fill puts a value in the place of the word in braces.
func fill(text, word string, value any) string {
	return strings.ReplaceAll(text, word, fmt.Sprint(value))
}
