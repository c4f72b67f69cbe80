package journal

import (
	"fmt"
	"strconv"
)

// A fault is a kind of error that carries no data. It is wrapped in an error
// that says what was being done.
type fault string

// Error implements error.
func (f fault) Error() string { return string(f) }

// What can be wrong, for errors.Is.
const (
	ErrConflict fault = "something else is there already"             // an append to a log of another length, a post whose id has other content
	ErrBusy     fault = "run has another owner"                       // see [Claimer]
	ErrLost     fault = "claim is lost"                               // it was released or has run out, or there was none
	ErrID       fault = "id can't be used"                            // of a run or a post
	ErrEntry    fault = "entry can't be stored"                       // its fact, its kind or its time
	ErrPost     fault = "post can't be stored"                        // it has no kind, or data that is no JSON
	ErrLease    fault = "times of a lease are negative or do not fit" // see [Leased]
)

// A DamagedError says that what is stored is not what was written. Nothing is
// appended to a damaged log.
type DamagedError struct {
	ID   string // of the run
	File string // within the run's folder
	Line int    // from 1
	Why  string
}

// Error implements error.
func (e *DamagedError) Error() string {
	return e.File + ", line " + strconv.Itoa(e.Line) + ": damaged: " + e.Why
}

// A VersionError says that a log was written in a format that is not known
// here. Nothing is appended to it.
type VersionError struct {
	ID      string
	Version int // of the log; known are 0 and [Version]
}

// Error implements error.
func (e *VersionError) Error() string {
	return fmt.Sprintf("log has format version %d, known is %d", e.Version, Version)
}

// A TornError tells of the end of a log that was being written when its writer
// died. That append never returned, so nobody has acted on what it held. It is
// a warning; see [Dir.Warn].
type TornError struct {
	ID    string
	Line  int   // the first line that is left out, from 1
	Bytes int64 // how much is left out
}

// Error implements error.
func (e *TornError) Error() string {
	return fmt.Sprintf("journal: %s: line %d was never written to its end; its %d bytes are left out", e.ID, e.Line, e.Bytes)
}

func conflict(id string, at, length int) error {
	return fmt.Errorf("journal: appending to %s at %d: it is %d long: %w", id, at, length, ErrConflict)
}
