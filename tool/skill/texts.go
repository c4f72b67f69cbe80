package skill

import (
	"reflect"
	"strings"
)

// Texts are the words in which a library speaks to the model. A field that is
// empty stands for the English text. Words in braces are filled in.
type Texts struct {
	Description string // of the tool
	Parameter   string // of its one parameter

	Loaded  string // {name}, {body}: what a call returns
	Dir     string // {dir}; before Loaded's text, if the skill has a directory
	Again   string // {name}; instead, when the text was given in this run before
	Unknown string // {name}, {known}
	None    string // {name}; where there are no skills

	// Of the catalogue.
	Entry string // {name}, {description}
	When  string // {when}; after it
	Needs string // {needs}; after that
}

var english = Texts{
	Description: "Returns the whole text of a skill and the directory of its files. A skill is not a tool and can't be called: " +
		"it is a written procedure for one kind of task. When a task fits a skill's description, load that skill first, " +
		"then follow its text with your other tools.",
	Parameter: "The name of the skill, exactly as it is listed.",
	Loaded:    "Skill {name}. Follow it with your other tools.\n\n{body}",
	Dir:       "Directory: {dir}\nFiles that the skill names are relative to it.\n\n",
	Again: "The skill {name} was loaded before in this conversation; its text has not changed and stands above. Go on with it. " +
		"If you can't see it any more, load it once more.",
	Unknown: "there is no skill named {name}; the skills are: {known}",
	None:    "there is no skill named {name}, and no other",
	Entry:   "- {name}: {description}",
	When:    " Use it when: {when}",
	Needs:   " Needs: {needs}",
}

// complete returns t with the English words where it has none.
func (t Texts) complete() Texts {
	v, words := reflect.ValueOf(&t).Elem(), reflect.ValueOf(english)
	for i := range v.NumField() {
		if f := v.Field(i); f.String() == "" {
			f.Set(words.Field(i))
		}
	}
	return t
}

// fill puts values in the place of the words in braces: name, value, name, value …
func fill(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
