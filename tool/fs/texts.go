package fs

import (
	"fmt"
	"reflect"
	"strings"
)

// Texts is what a model reads of this package, apart from errors: what it is
// told of the tools and their parameters, and the words in results. A field that
// is empty stands for the English text, so the zero Texts is all English. Words
// in braces are filled in.
type Texts struct {
	// What the tools are for.
	ReadFile  string // {lines}
	ListDir   string
	Glob      string
	Grep      string
	WriteFile string
	EditFile  string

	// What their parameters are.
	Path       string
	Offset     string
	Limit      string // {lines}
	Dir        string
	Glance     string // the pattern of glob
	Pattern    string // the pattern of grep
	SearchIn   string
	Content    string
	OldText    string
	NewText    string
	ReplaceAll string

	// read_file
	More        string // {first}, {last}, {total}, {next}
	MoreOfLarge string // {first}, {last}, {bytes}: of the whole file, {next}
	LastPage    string // {first}, {last}
	LineLeft    string // {bytes}; stands for the rest of a long line
	CRLF        string
	MixedEnds   string
	BOM         string
	NotUTF8     string // {bytes}
	Empty       string
	Binary      string // {type}, {bytes}

	// list_dir, glob and grep
	EmptyDir    string
	Bytes       string // {bytes}; the size of a file
	Link        string // {target}
	Special     string // what is no file, directory or link
	MoreEntries string // {shown}
	NoPath      string // {pattern}
	NoLine      string // {pattern}, {files}
	MoreLines   string // {shown}
	LeftBinary  string // {files}
	LeftFaulty  string // {files}

	// write_file and edit_file
	Created   string // {path}, {bytes}
	Written   string // {path}, {bytes}
	Unchanged string // {path}
	Edited    string // {path}, {line}
	EditedAll string // {path}, {count}, {lines}

	// Why old_text was not found, or was found too often.
	Occurs       string // {count}, {lines}
	AlreadyNew   string // {lines}
	WhiteSpace   string // {first}, {last}, {text}
	LetterCase   string // {line}, {text}
	LineNumbers  string
	Escaped      string
	Undecodable  string
	FirstLine    string // {line}, {text}: the line of the file that differs, {want}: that of old_text
	ReadAgain    string
	EditingEmpty string
}

// DefaultTexts returns the English texts that [Open] sets.
func DefaultTexts() Texts {
	return Texts{
		ReadFile: "Reads a text file, whole or some of its lines. Use it to see a file before you change it. " +
			"A long file comes in pages of at most {lines} lines: the note at the end of a page says with which offset to go on. " +
			"Lines end in LF here, whatever the file has; very long lines are cut, and the cut says so. " +
			"Binary files are only described. To look for something in many files, use grep instead.",
		ListDir: "Lists one directory: its directories (with a slash at the end), files (with their size) and links, sorted. " +
			"It does not go deeper; use glob to find files by name in the whole tree.",
		Glob: "Finds files and directories by name, sorted. * and ? match within one name, [a-z] one of a set, {a,b} one of some, " +
			"** any number of directories: *.go is the top level only, **/*.go is every level. " +
			"Links are not followed and .git is passed over. To find files by what they hold, use grep.",
		Grep: "Searches the lines of files for a regular expression and returns path:line:text, sorted by path. " +
			"The syntax is RE2: no look-around and no back references; (?i) at the start ignores case; \\b is a word boundary; " +
			"escape ( [ { . * + ? to mean themselves. A match lies within one line. " +
			"Binary files and .git are passed over, links are not followed; other hidden and ignored files are searched. " +
			"If there are too many matches, make the pattern or the path narrower.",
		WriteFile: "Writes a whole file exactly as given, new or over an old one, and makes missing directories. " +
			"Read a file before you write over it: if it changed since you read it, nothing is written. " +
			"To change part of a file, use edit_file, which is shorter and safer.",
		EditFile: "Replaces old_text by new_text in a file. old_text must be copied exactly, with its indentation, " +
			"and must occur exactly once: add lines around it until it does, or set replace_all to replace every occurrence. " +
			"The file's line ends (LF or CRLF) are kept. An empty new_text deletes. To make a new file, use write_file.",

		Path:       "The file, relative to the root directory",
		Offset:     "Number of the first line to read, from 1",
		Limit:      "How many lines to read; {lines} if not given",
		Dir:        "The directory, relative to the root directory; the root itself if not given",
		Glance:     "The pattern, relative to the root directory, such as src/**/*.go",
		Pattern:    "The regular expression, in RE2 syntax",
		SearchIn:   "The file or directory to search; everything if not given",
		Content:    "The whole new content",
		OldText:    "The text to replace, exactly as it is in the file",
		NewText:    "The text to put in its place",
		ReplaceAll: "Replace every occurrence instead of exactly one",

		More:        "lines {first}-{last} of {total}; to go on, read with offset {next}",
		MoreOfLarge: "lines {first}-{last} of a file of {bytes} bytes; to go on, read with offset {next}",
		LastPage:    "lines {first}-{last}, the last of the file",
		LineLeft:    " [{bytes} more bytes in this line]",
		CRLF:        "the lines end in CRLF, shown here as LF; edit_file keeps them",
		MixedEnds:   "some lines end in CRLF and some in LF, shown here all as LF; edit_file keeps each",
		BOM:         "the file starts with a UTF-8 byte order mark, not shown; edit_file keeps it",
		NotUTF8:     "{bytes} bytes are not UTF-8 text, shown here as \uFFFD; do not copy those into an edit",
		Empty:       "(the file is empty)",
		Binary:      "(binary file, {type}, {bytes} bytes: not shown)",

		EmptyDir:    "(the directory is empty)",
		Bytes:       "{bytes} bytes",
		Link:        "link to {target}",
		Special:     "no file: can't be read",
		MoreEntries: "the first {shown}; there are more: use a narrower pattern or a directory below",
		NoPath:      "No path matches {pattern}.",
		NoLine:      "No line matches {pattern} in {files} files.",
		MoreLines:   "the first {shown} matches; there are more: use a narrower pattern or path",
		LeftBinary:  "{files} binary files were passed over",
		LeftFaulty:  "{files} files or directories could not be read",

		Created:   "Created {path} ({bytes} bytes).",
		Written:   "Wrote {path} ({bytes} bytes) over the old file.",
		Unchanged: "{path} already has exactly this content; nothing was written.",
		Edited:    "Edited {path}: replaced 1 occurrence, at line {line}.",
		EditedAll: "Edited {path}: replaced {count} occurrences, at lines {lines}.",

		Occurs: "it occurs {count} times, at lines {lines}. Add lines around it to old_text until it is the only one, " +
			"or set replace_all to replace all of them",
		AlreadyNew: "but new_text does, at lines {lines}: the edit may have been made before. Read the file to see",
		WhiteSpace: "but lines {first}-{last} differ from it only in white space. The file has there: {text}. " +
			"Copy that exactly, with its indentation",
		LetterCase:  "but with other upper and lower case it does at line {line}: {text}",
		LineNumbers: "its lines start with numbers that are not in the file: leave those out",
		Escaped:     "but it does with real line ends or quotes in the place of \\n, \\t or \\\": old_text was escaped twice",
		Undecodable: "it holds \uFFFD, which stands for bytes that are not UTF-8: leave those out of old_text",
		FirstLine: "its first line is at line {line}, but then they differ. The file has: {text}. old_text has: {want}. " +
			"Read the file again and copy the text exactly",
		ReadAgain:    "not even its first line does. Read the file again, or use grep to find the place, and copy the text exactly",
		EditingEmpty: "the file is empty. Use write_file",
	}
}

// complete returns t with the English words where it has none.
func (t Texts) complete() *Texts {
	v, words := reflect.ValueOf(&t).Elem(), reflect.ValueOf(DefaultTexts())
	for i := range v.NumField() {
		if f := v.Field(i); f.String() == "" {
			f.Set(words.Field(i))
		}
	}
	return &t
}

func (f *FS) words() *Texts { return f.Texts.complete() }

// fill puts values in the place of the words in braces: name, value, name, value …
func fill(text string, pairs ...any) string {
	words := make([]string, len(pairs))
	for i := range pairs {
		words[i] = fmt.Sprint(pairs[i])
		if i%2 == 0 {
			words[i] = "{" + words[i] + "}"
		}
	}
	return strings.NewReplacer(words...).Replace(text)
}
