package agent

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/triad-go/triad/agent/journal"
)

// An Entry is a fact, when it came to be, and how long the run had been active
// by then. Waiting for a person is not active time.
type Entry struct {
	At     time.Time
	Active time.Duration
	Fact   Fact
}

// A Log is the entries of a run, in order. Its JSON has a format version:
// {"format": 1, "entries": [{"at": …, "active": …, "kind": "said", "fact": {…}}]}.
type Log []Entry

// LogFormat is the version of the JSON of a [Log].
const LogFormat = 1

// A FormatError says that a log has a format that this version does not know.
type FormatError struct{ Format int }

// Error implements error.
func (e *FormatError) Error() string {
	return fmt.Sprintf("agent: log has format %d, known is %d", e.Format, LogFormat)
}

type wireLog struct {
	Format  int         `json:"format"`
	Entries []wireEntry `json:"entries"`
}

type wireEntry struct {
	At     time.Time       `json:"at"`
	Active time.Duration   `json:"active,omitempty"`
	Kind   string          `json:"kind"`
	Fact   json.RawMessage `json:"fact"`
}

// MarshalJSON implements [json.Marshaler].
func (l Log) MarshalJSON() ([]byte, error) {
	w := wireLog{LogFormat, make([]wireEntry, len(l))}
	for i, e := range l {
		data, err := json.Marshal(e.Fact)
		if err != nil {
			return nil, fmt.Errorf("agent: encoding entry %d: %w", i, err)
		}
		w.Entries[i] = wireEntry{e.At, e.Active, e.Fact.Kind(), data}
	}
	return json.Marshal(w)
}

// UnmarshalJSON implements [json.Unmarshaler], for the log of a [Loop].
func (l *Log) UnmarshalJSON(data []byte) error {
	var w wireLog
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("agent: decoding log: %w", err)
	}
	if w.Format != LogFormat {
		return &FormatError{w.Format}
	}
	log := make(Log, len(w.Entries))
	for i, e := range w.Entries {
		f, err := decode(loopKinds, e.Kind, e.Fact)
		if err != nil {
			return fmt.Errorf("agent: decoding entry %d: %w", i, err)
		}
		log[i] = Entry{e.At, e.Active, f}
	}
	*l = log
	return nil
}

// A Decoder makes facts of one kind from their JSON.
type Decoder func(data []byte) (Fact, error)

// Decode is the [Decoder] of F.
func Decode[F Fact](data []byte) (Fact, error) {
	var f F
	err := json.Unmarshal(data, &f)
	return f, err
}

// everyMode returns the decoder of a kind that every mode has.
func everyMode(kind string) Decoder {
	switch kind {
	case Said{}.Kind():
		return Decode[Said]
	case Answered{}.Kind():
		return Decode[Answered]
	case Granted{}.Kind():
		return Decode[Granted]
	case StopAsked{}.Kind():
		return Decode[StopAsked]
	case Stopped{}.Kind():
		return Decode[Stopped]
	}
	return nil
}

func loopKinds(kind string) Decoder {
	switch kind {
	case Instructed{}.Kind():
		return Decode[Instructed]
	case Replied{}.Kind():
		return Decode[Replied]
	case RequestFailed{}.Kind():
		return Decode[RequestFailed]
	case CallStarted{}.Kind():
		return Decode[CallStarted]
	case CallPaused{}.Kind():
		return Decode[CallPaused]
	case CallEnded{}.Kind():
		return Decode[CallEnded]
	case TimeUp{}.Kind():
		return Decode[TimeUp]
	case Limited{}.Kind():
		return Decode[Limited]
	case Noted{}.Kind():
		return Decode[Noted]
	case Compacted{}.Kind():
		return Decode[Compacted]
	case Overflowed{}.Kind():
		return Decode[Overflowed]
	case Verified{}.Kind():
		return Decode[Verified]
	case WrappedUp{}.Kind():
		return Decode[WrappedUp]
	}
	return nil
}

// An UnknownKindError says that a log holds a fact that the mode does not know:
// a plan's log was opened with a loop, say.
type UnknownKindError struct{ Kind string }

// Error implements error.
func (e *UnknownKindError) Error() string {
	return fmt.Sprintf("agent: fact of unknown kind %q: the log is of another mode, or of a later version", e.Kind)
}

func decode(kinds func(string) Decoder, kind string, data []byte) (Fact, error) {
	d := kinds(kind)
	if d == nil {
		d = everyMode(kind)
	}
	if d == nil {
		return nil, &UnknownKindError{kind}
	}
	f, err := d(data)
	if err != nil {
		return nil, fmt.Errorf("agent: fact of kind %q: %w", kind, err)
	}
	return f, nil
}

// stored returns e as the journal keeps it.
func (e Entry) stored() journal.Entry {
	return journal.Entry{At: e.At, Active: e.Active, Kind: e.Fact.Kind(), Fact: e.Fact}
}

// loaded returns the entry that the journal kept.
func loaded(e journal.Entry, kinds func(string) Decoder) (Entry, error) {
	if f, ok := e.Fact.(Fact); ok {
		return Entry{e.At, e.Active, f}, nil
	}
	f, err := decode(kinds, e.Kind, e.Data)
	return Entry{e.At, e.Active, f}, err
}
