// Package skill gives an agent written procedures that it reads when it needs
// them.
//
// A skill is a directory with a file SKILL.md: front matter with a name and a
// description, and a body in Markdown. The model is shown names and
// descriptions, see [Library.Catalog], and reads the body with the tool
// load_skill. A new skill is a new directory and no code. The form is that of
// the public specification of agent skills (agentskills.io).
//
//	library := &skill.Library{Sources: []skill.Source{skill.Folder("skills")}}
//	warnings := library.Load()
//	loop.Tools = tool.NewRegistry(library.Tool())
//
// A skill tells the model what to do, so its text is an instruction and not
// data from outside: name only sources that are trusted as your own prompts are.
package skill
