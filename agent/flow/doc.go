// Package flow holds paths that code owns: what comes next is decided by the
// program, and models fill in the steps.
//
//   - [Chain] does steps one after the other, with gates between them.
//   - [Route] picks a branch, and has one for "cannot tell".
//   - [Parallel] does sections side by side; [Orchestrate] splits, works, joins.
//   - [Vote] and [Synthesize] do one task several times.
//   - [Refine] judges and improves; [Reflect] learns from outside feedback.
//   - [Pipeline] does named stages, each in a journal before it runs.
//   - [Router] picks the mode of a run: a loop, a plan or a team.
//
// Steps are functions, so that any of them can be code; [By] makes one of an
// [agent.Worker].
//
// All but the last two keep nothing: a program that must go on after a crash
// puts them into a stage of a pipeline, or its agents into a journal.
package flow

import "errors"

// What a function is given that it can't work with.
var errMissing = errors.New("a function is missing")
