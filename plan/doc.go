// Package plan reaches a goal by tasks: drafted as a graph, reviewed if wanted,
// done side by side as their dependencies allow, and drafted anew when too many
// fail.
//
// It has the same two halves as package agent: facts fold into a [State],
// [Executor.Next] decides, and an [agent.Run] acts. Who uses it needs these names:
//
//   - [Executor] is the recipe, and an [agent.Worker]: agent.Do runs it,
//     Executor.Open begins or goes on with a run.
//   - [NewPlanner] has a model draft the plan; [Planner] is the interface.
//   - [NewDAG] makes a valid plan in code, and names every fault of one that is
//     not; [Fixed] makes a planner of it.
//   - [Fold] makes a [State] of a run's log: all tasks, their statuses and
//     whole results, as data.
//   - [Research] is the other form: rounds of ordered tasks, a critic after
//     each, and a report.
//
// A run's events are those of package agent, and the facts of this package.
// What a task does comes as [agent.Inner], with the task's id.
//
// # What holds
//
// A plan that is not valid never starts. No task starts before what it depends
// on is completed. When a run has ended no task is pending or running, and each
// that is not completed says why. A run that was cut off anywhere goes on from
// its log: tasks that have ended are not run again, those under way go on from
// their own logs.
//
// # What a result says
//
// Detail names the tasks that decided an end which is not Completed, three at
// most, and why each did, in short; [State] has all of it. Limit is set where a
// limit ended all of these tasks, be it one of their own, or kept the planner
// from planning. If that limit is the planner's, or that of the budget which all
// runs share, and no task is completed, the run itself is OverBudget.
//
// Turns counts the plans that were drafted, which in a research are its rounds.
// Spent has the tokens and the cost of planner and tasks together, and the active
// time of the plan; turns and tool calls of the tasks are in theirs.
package plan
