package shell

import (
	"regexp"
	"slices"
)

// A Rule refuses the commands whose text its pattern matches, anywhere in it.
// It is data: [regexp.Regexp] reads and writes itself as text.
type Rule struct {
	Name    string         `json:"name"` // what the refusal says, such as "no sudo"
	Pattern *regexp.Regexp `json:"pattern"`
}

// begin matches where a command may begin: at the start, after an operator, in
// a substitution, after assignments, and after words that run another command.
const begin = "(?m)(?:^|[;&|({`])" + `\s*(?:(?:\w+=\S*|command|exec|env|nohup|time|nice|setsid|xargs|then|do|else)\s+)*(?:/\S*/)?`

// precious matches the root, the directories that a system lives in, and the home.
const precious = `(?:/(?:bin|boot|dev|etc|home|lib\w*|opt|proc|root|sbin|sys|usr|var)?|~|\$HOME|\$\{HOME\})`

// DefaultRules returns the rules of a [Shell] that has none of its own: they
// stop mistakes that harm the whole machine. A list of texts is no sandbox: who
// wants to get around it can, by a script, a variable or quotes. Where the
// commands are not trusted, run the host itself in a container or a virtual
// machine, as a user who may do little.
func DefaultRules() []Rule { return slices.Clone(defaultRules) }

var defaultRules = []Rule{
	{"no other user's rights (sudo, su, doas, pkexec)",
		regexp.MustCompile(begin + `(?:sudo|su|doas|pkexec)(?:\s|$)`)},
	{"no removal of the root, a system directory or the home",
		regexp.MustCompile(begin + `rm\s+(?:\S+\s+)*["']?` + precious + `/?\*?["']?(?:[\s;&|)]|$)`)},
	{"no change of owner or mode of the root, a system directory or the home",
		regexp.MustCompile(begin + `ch(?:mod|own|grp)\s+(?:\S+\s+)+["']?` + precious + `/?\*?["']?(?:[\s;&|)]|$)`)},
	{"no formatting or partitioning (mkfs, fdisk, parted, wipefs)",
		regexp.MustCompile(begin + `(?:mkfs(?:\.\w+)?|s?fdisk|parted|wipefs)(?:\s|$)`)},
	{"no writing to disks or memory",
		regexp.MustCompile(`(?:>\s*|\bof=)["']?/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mem|kmem)`)},
	{"no shutdown (shutdown, reboot, halt, poweroff)",
		regexp.MustCompile(begin + `(?:(?:shutdown|reboot|halt|poweroff)(?:[\s;&|)]|$)|(?:systemctl|init)\s+(?:poweroff|reboot|halt|[06])\b)`)},
	{"no signal to every process",
		regexp.MustCompile(begin + `(?:kill\s+(?:-\S+\s+(?:[A-Z]+\s+)?)+-1\s*(?:[;&|)\n]|$)|killall5(?:\s|$))`)},
	{"no fork bomb",
		regexp.MustCompile(`(?:\w+|:)\s*\(\)\s*\{\s*(?:\w+|:)\s*\|\s*(?:\w+|:)\s*&`)},
	{"no download that a shell runs at once",
		regexp.MustCompile(`\b(?:curl|wget)\b[^;\n]*\|\s*(?:sudo\s+)?(?:/\S*/)?(?:ba|z|da|k)?sh\b`)},
}

// Denied returns the first rule that refuses the command. A host's policy can
// ask it too, so that no person is asked about a command that will be refused.
func (s Shell) Denied(command string) (Rule, bool) {
	rules := s.Deny
	if rules == nil {
		rules = defaultRules
	}
	for _, r := range rules {
		if r.Pattern == nil || r.Pattern.MatchString(command) {
			return r, true
		}
	}
	return Rule{}, false
}
