// Package prompt builds the system text of a run from seven layers, each a
// file that a host can replace without code:
//
//	base.md             who the agent is, its tools, how to work
//	personality.md      its manner
//	modes/react.md      the mode or the role, by name
//	approval/ask.md     what happens before side effects, by name; none by default
//	context.md          what is true now, and what is remembered
//	skills.md           the skills to choose from
//	output.md           how to answer, how to work with the user
//
// Files of a user stand in place of the built-in ones, and those of a project
// in place of the user's, file by file; see [Load]. [Source] is the
// agent.Prompter made of them. The roles that take a system text as a string,
// such as a planner, are given [Files.Text]:
//
//	files, err := prompt.Load(os.DirFS(userDir), os.DirFS(projectDir))
//	loop.Prompt = &prompt.Source{Files: files, Skills: library.Catalog}
//	planner.Request.System = files.Text(prompt.PlanPlanner)
package prompt
