package agent

import (
	"context"
	"time"
)

// Work is all that may be under way now. No jobs, no facts and no stop is a
// wait for answers.
type Work struct {
	Jobs   []Job
	AtOnce int  // jobs under way at most; 0 is 4
	Alone  bool // no other job can come up before the one in Jobs has ended
	Finish bool // an error of a job starts nothing new, and is told when the others have ended

	Note     []Fact   // facts that need no act
	Stop     *Stopped // the end
	Boundary bool     // nothing of a turn is open: the run may rest here
	Alarms   []Alarm

	// The ride adds these.
	at      int  // the length of the log when it was asked for
	closing bool // a stop is on its way: nothing may be started
	rests   bool // the run rests here, as was asked
}

// A Job is a piece of work that ends in a fact.
type Job struct {
	Key   string // names the job within the run
	Start Fact   // noted just before it starts; nil when that was done before
	Do    func(ctx context.Context, p Port) (Fact, error)
}

// A Port is what a job sees of the run that does it.
type Port struct {
	// Tell shows an event to the reader; a fact is noted. It is false when the
	// job should end.
	Tell func(Event) bool

	// CutOff says that the job was started before and did not end.
	CutOff bool

	inline bool
}

// An Alarm notes a fact when its time has come, if it stands in the work until
// then. Another Round is another alarm. After counts from when it first stood
// there; with Active it is the run's active time. Cancel lets go of all that is
// under way first.
type Alarm struct {
	Key    string
	Round  int
	After  time.Duration
	Active bool
	Fact   Fact
	Cancel bool
}
