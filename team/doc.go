// Package team reaches a goal with several agents: a planner breaks it into
// tasks, workers do them side by side, and a reviewer judges each result. What
// is rejected goes back to the same worker with the issues, at most twice.
//
// A team is a plan (see package plan) whose tasks are done under review. Who
// uses it needs these names:
//
//   - [Orchestrator] is the recipe, and an [agent.Worker]: agent.Do runs it. A
//     client and tools are enough; [NewPlanner], [NewWorker] and [NewReviewer]
//     make the roles one by one.
//   - [Reviewed] is a worker whose work another one reviews, also outside a team.
//   - [StatusOf] and [Count] say how the tasks of plan.Fold have ended; their
//     results are there whole.
//   - [InOrder] shows the output of tasks that run side by side one after the
//     other.
//
// # What holds
//
// Only a reply that is one JSON object with "approved": true approves; no words
// are searched for. A verdict that can't be read, and a reviewer that fails, are
// no rejection: the reviewer is asked once more, then the task is Unreviewed. A
// run is Completed only if each task was approved. A task costs two model runs
// at least and six at most, and one more for each review that is asked again.
// A run that was cut off anywhere goes on from its log.
//
// What a result says is as in package plan; the counts of the tasks' statuses
// stand at the head of its Detail.
package team
