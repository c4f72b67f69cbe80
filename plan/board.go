package plan

import "slices"

// A board is the tasks of a plan and what follows from their statuses, kept up
// to date one change at a time.
type board struct {
	tasks []Task
	edges
	waits   []int32 // of a pending task: dependencies that are not satisfied yet
	ready   places  // pending, and nothing is waited for
	doomed  places  // pending, and something that is needed will never be there
	running []int32 // in order; they are few
	done    int     // completed
	left    int     // not final

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
		ready: newPlaces(n), doomed: newPlaces(n), round: newPlaces(n),
	}
	var none faultList // the tasks were checked when they were drafted
	b.edges = link(tasks, &none)
	for i := range tasks {
		switch tasks[i].Status {
		case Pending:
			b.left++
			b.await(int32(i))
			continue
		case Running:
			b.left++
			b.running = append(b.running, int32(i))
		case Completed:
			b.done++
		}
		b.waits[i] = begun
	}
	b.nextRound()
	return b
}

// begun stands in waits for a task that is not pending any more.
const begun = -1

// await counts what a pending task waits for.
func (b *board) await(i int32) {
	for _, j := range b.up[i] {
		if d := &b.tasks[j]; !d.satisfies() {
			b.waits[i]++
			if d.Status.Final() {
				b.doomed.add(i)
			}
		}
	}
	if b.waits[i] == 0 {
		b.ready.add(i)
	}
}

// find returns the place of a task. Most facts are about one of the few that
// are under way or the first that is ready: in a large plan, looking at these
// costs less than a look into the map, which is in no cache.
func (b *board) find(id string) (int32, bool) {
	for _, i := range b.running[:min(len(b.running), near)] {
		if b.tasks[i].ID == id {
			return i, true
		}
	}
	if i := b.ready.next(0); i >= 0 && b.tasks[i].ID == id {
		return i, true
	}
	i, ok := b.at[id]
	return i, ok
}

const near = 8 // tasks under way that are looked at

func (b *board) start(id string, place int) {
	if i, ok := b.find(id); ok && b.waits[i] != begun {
		b.tasks[i].Status, b.tasks[i].Place = Running, place
		b.waits[i] = begun
		b.ready.remove(i)
		b.round.remove(i)
		at, _ := slices.BinarySearch(b.running, i)
		b.running = slices.Insert(b.running, at, i)
	}
}

// settle notes a task's end. It is false if the task is not in the plan or had
// ended before.
func (b *board) settle(id string, o Outcome) bool {
	i, ok := b.find(id)
	if !ok || b.tasks[i].Status.Final() {
		return false
	}
	b.ready.remove(i)
	b.round.remove(i)
	if at, ok := slices.BinarySearch(b.running, i); ok {
		b.running = slices.Delete(b.running, at, at+1)
	}
	b.doomed.remove(i)
	b.tasks[i].Outcome, b.waits[i] = o, begun
	b.left--
	if o.Status == Completed {
		b.done++
	}
	for _, j := range b.down[i] {
		switch {
		case b.waits[j] == begun:
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
	b.ready, b.doomed, b.round, b.running = b.ready.clone(), b.doomed.clone(), b.round.clone(), slices.Clone(b.running)
	return b
}
