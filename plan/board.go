package plan

import "slices"

// A board is the tasks of a plan and what follows from their statuses, kept up
// to date one change at a time.
type board struct {
	tasks []Task
	edges
	waits   []int32 // dependencies that are not satisfied yet
	ready   places  // pending, and nothing is waited for
	running places
	doomed  places // pending, and something that is needed will never be there
	done    int    // completed
	left    int    // not final

	// Rounds of the barrier mode: a round is what was ready when the round before
	// had ended.
	round   places // of the ready ones
	inRound []bool
	open    int // of the round, those that have not ended
}

func newBoard(tasks []Task) board {
	n := len(tasks)
	b := board{
		tasks: tasks, waits: make([]int32, n), inRound: make([]bool, n),
		ready: newPlaces(n), running: newPlaces(n), doomed: newPlaces(n), round: newPlaces(n),
	}
	var none faultList // the tasks were checked when they were drafted
	b.edges = link(tasks, &none)
	for i := range tasks {
		t := &tasks[i]
		if t.Status == Completed {
			b.done++
		}
		if t.Status == Running {
			b.running.add(int32(i))
		}
		if !t.Status.Final() {
			b.left++
		}
		for _, j := range b.up[i] {
			if d := &tasks[j]; !d.satisfies() {
				b.waits[i]++
				if d.Status.Final() && t.Status == Pending {
					b.doomed.add(int32(i))
				}
			}
		}
		if t.Status == Pending && b.waits[i] == 0 {
			b.ready.add(int32(i))
		}
	}
	b.nextRound()
	return b
}

func (b *board) start(id string, place int) {
	if i, ok := b.at[id]; ok && b.tasks[i].Status == Pending {
		b.tasks[i].Status, b.tasks[i].Place = Running, place
		b.ready.remove(i)
		b.round.remove(i)
		b.running.add(i)
	}
}

// place returns the lowest number above that no task under way has.
func (b *board) place(above int) int {
	for i := b.running.next(0); i >= 0; i = b.running.next(i + 1) {
		if b.tasks[i].Place == above+1 {
			return b.place(above + 1)
		}
	}
	return above + 1
}

// settle notes a task's end. It is false if the task is not in the plan or had
// ended before.
func (b *board) settle(id string, o Outcome) bool {
	i, ok := b.at[id]
	if !ok || b.tasks[i].Status.Final() {
		return false
	}
	b.ready.remove(i)
	b.round.remove(i)
	b.running.remove(i)
	b.doomed.remove(i)
	b.tasks[i].Outcome = o
	b.left--
	if o.Status == Completed {
		b.done++
	}
	for _, j := range b.down[i] {
		switch {
		case b.tasks[j].Status != Pending:
		case !o.satisfies():
			b.doomed.add(j)
		default:
			if b.waits[j]--; b.waits[j] == 0 {
				b.ready.add(j)
			}
		}
	}
	if b.inRound[i] {
		b.inRound[i] = false
		b.open--
	}
	if b.open == 0 {
		b.nextRound()
	}
	return true
}

// nextRound makes a round of all that is ready.
func (b *board) nextRound() {
	for i := b.ready.next(0); i >= 0; i = b.ready.next(i + 1) {
		b.round.add(i)
		b.inRound[i] = true
		b.open++
	}
}

func (b board) clone() board {
	b.tasks, b.waits, b.inRound = slices.Clone(b.tasks), slices.Clone(b.waits), slices.Clone(b.inRound)
	b.ready, b.running, b.doomed, b.round = b.ready.clone(), b.running.clone(), b.doomed.clone(), b.round.clone()
	return b
}
