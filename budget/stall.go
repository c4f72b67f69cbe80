package budget

import "fmt"

// Stall says when a run goes in circles: when After turns in a row were the
// same, or a cycle of 2 to 4 turns came round 3 times. The zero Stall is on.
//
// At detection the model is reminded once; if the pattern goes on for two more
// turns, or one more round of a longer cycle, the run stops.
type Stall struct {
	Off    bool
	After  *int // equal turns in a row; nil is 3, less than 2 is refused
	Silent bool // stop at detection, without a reminder
	Ask    bool // ask whether to go on where the run would stop
}

// Validate refuses a threshold below 2.
func (s Stall) Validate() error {
	if s.After != nil && *s.After < 2 {
		return fmt.Errorf("budget: stall after %d equal turns: must be 2 or more; use Off to switch it off", *s.After)
	}
	return nil
}

const (
	defaultAfter = 3
	longestCycle = 4
	rounds       = 3
)

// A Mark is what counts of a call when turns are compared.
type Mark struct {
	Call    uint64 // name and canonical arguments; see [Sum]
	Outcome string
	Text    string // of the result; counts for a read that went well
	Read    bool   // the tool is read-only
	OK      bool   // it went well
	Changed string // "yes" or "no", if the result says so
}

// Sum hashes texts into what stands for them in a [Mark]. It is FNV-1a, with a
// byte between the texts that no UTF-8 has.
func Sum(texts ...string) uint64 {
	h := uint64(offset)
	for _, t := range texts {
		h = hash(h, t)
	}
	return h
}

// SumCall is Sum of a tool's name and the arguments of a call.
func SumCall(name string, arguments []byte) uint64 {
	return hash(hash(uint64(offset), name), arguments)
}

const offset = 14695981039346656037

func hash[T string | []byte](h uint64, text T) uint64 {
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return (h ^ 0xff) * 1099511628211
}

func (m Mark) sum() uint64 {
	text := ""
	if m.Read && m.OK {
		text = m.Text // so that polling is no stall; logs of failures and side effects hold times
	}
	// Mixed, since the sums of a turn are added up.
	h := m.Call ^ Sum(m.Outcome, text)*0x9e3779b97f4a7c15
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// A Trail is what the stall guard remembers of a run: the last turns as
// numbers, and which calls there were. It is the fold of the run's turns.
// Fold a copy made with [Trail.Clone] where two are to grow from one.
type Trail struct {
	turns    int
	last     [longestCycle * rounds]uint64 // the last turns, by turn number modulo its length
	same     int                           // how many of the last turns are equal
	since    int                           // turns since all was reset
	reminded int                           // the turn at which the model was reminded; 0 if it was not
	period   int                           // of the pattern it was reminded of
	effects  map[uint64]bool               // every side-effecting call so far
	seen     map[uint64]int                // calls since all was reset
}

// Clone returns a trail that shares nothing with t.
func (t Trail) Clone() Trail {
	t.effects, t.seen = clone(t.effects), clone(t.seen)
	return t
}

func clone[V any](m map[uint64]V) map[uint64]V {
	out := make(map[uint64]V, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// Turn adds a turn of calls. The order of the calls does not matter. A new
// side effect that went well resets all counts first, and so does a result
// that says it changed something; a repeat of an earlier side effect does not,
// whatever it says.
func (t *Trail) Turn(marks []Mark) {
	if t.effects == nil {
		t.effects, t.seen = map[uint64]bool{}, map[uint64]int{}
	}
	var sum uint64
	fresh := false
	for _, m := range marks {
		sum += m.sum()
		fresh = fresh || t.fresh(m)
	}
	if fresh {
		t.Reset()
	}
	for _, m := range marks {
		t.seen[m.Call]++
		if !m.Read {
			t.effects[m.Call] = true
		}
	}
	t.push(sum)
}

func (t *Trail) fresh(m Mark) bool {
	switch {
	case m.Changed == "no", !m.OK && m.Changed != "yes":
		return false
	case m.Read:
		return m.Changed == "yes"
	}
	return !t.effects[m.Call]
}

func (t *Trail) push(sum uint64) {
	if t.since > 0 && t.at(1) == sum {
		t.same++
	} else {
		t.same = 1
	}
	if t.reminded > 0 && (t.since < t.period || t.at(t.period) != sum) {
		t.reminded = 0 // the pattern is broken
	}
	t.last[t.turns%len(t.last)] = sum
	t.turns++
	t.since++
}

// at returns the turn that was back turns ago, from 1.
func (t *Trail) at(back int) uint64 {
	return t.last[(t.turns-back+len(t.last)*2)%len(t.last)]
}

// Reset forgets the turns so far. A message from the user does that.
func (t *Trail) Reset() {
	t.same, t.since, t.reminded = 0, 0, 0
	clear(t.seen)
}

// Remind notes that the model was reminded of a pattern of that period.
func (t *Trail) Remind(period int) { t.reminded, t.period = t.turns, period }

// Seen returns how often a call was made since all was reset.
func (t *Trail) Seen(call uint64) int { return t.seen[call] }

// A Verdict says what a stall calls for.
type Verdict int

// The verdicts.
const (
	GoOn     Verdict = iota
	Reminder         // remind the model
	Stalled          // stop
)

// Judge says what the last turns call for, and the period of their pattern: 1
// for equal turns, 2 to 4 for a cycle, 0 for none.
func (s Stall) Judge(t *Trail) (Verdict, int) {
	period := s.pattern(t)
	switch {
	case period == 0:
		return GoOn, 0
	case s.Silent:
		return Stalled, period
	case t.reminded == 0:
		return Reminder, period
	case t.turns-t.reminded >= max(2, period):
		return Stalled, period
	}
	return GoOn, period
}

func (s Stall) pattern(t *Trail) int {
	after := defaultAfter
	if s.After != nil {
		after = *s.After
	}
	switch {
	case s.Off:
		return 0
	case t.same >= after:
		return 1
	}
	for p := 2; p <= longestCycle; p++ {
		if t.since >= p*rounds && t.cycle(p) {
			return p
		}
	}
	return 0
}

// cycle tells whether the last rounds of p turns are equal, and no shorter
// cycle explains them.
func (t *Trail) cycle(p int) bool {
	for i := 1; i <= p*(rounds-1); i++ {
		if t.at(i) != t.at(i+p) {
			return false
		}
	}
	for i := 1; i < p; i++ {
		if t.at(i) != t.at(i+1) {
			return true
		}
	}
	return false
}
