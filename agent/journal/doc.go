// Package journal keeps the logs of runs, says who owns a run, and holds what
// is posted to it.
//
// A [Journal] keeps logs: it appends to them and loads them. A log is named by
// the id of its run, which is a path: "run-42/task_3" is a run within run-42.
// Every append says how long it takes the log to be, so that of two who write
// to one log only one goes on. A [Claimer] lets one owner at a time work on a
// run and all below it. A [Mailbox] takes posts from any process, also while
// nobody owns the run.
//
// [Memory] is all three for one process. [Dir] is all three in a folder, for
// the processes of one machine: what it has taken is on the disk, and its locks
// die with their owner. Stores that several machines share implement [Store],
// of which [Leased] makes all three; [MemoryStore] is one, and package
// journaltest has the contracts as tests for others.
//
// The package imports the standard library only, and starts no goroutines.
package journal
