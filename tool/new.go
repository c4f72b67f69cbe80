package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/triad-go/triad/llm"
)

// New returns a tool that runs fn. The model is told the schema of In, see
// [SchemaFor]; what it sends is checked against it before fn is called, and
// decoded into In.
//
// Out may be a string, told as it is; a [Result]; []byte, told as it is if it
// is text and else described; [json.RawMessage]; or any value, told as JSON.
// What is empty or nil is told as "(no output)"; 0, {} and [] are told.
//
// Access says what fn does to the world; nothing said is [SideEffecting]. A
// fault, such as a type that has no schema, is reported when the tool is
// registered. The other fields of the tool can be set on what New returns.
func New[In, Out any](name, description string, fn func(context.Context, In) (Out, error), access ...Access) Tool {
	if fn == nil {
		return NewWithCall[In, Out](name, description, nil, access...)
	}
	return NewWithCall(name, description, func(ctx context.Context, _ Call, in In) (Out, error) {
		return fn(ctx, in)
	}, access...)
}

// NewWithCall is [New] for a function that needs its [Call] too: to report
// progress, for its key, or to go on after a [Pause].
func NewWithCall[In, Out any](
	name, description string, fn func(context.Context, Call, In) (Out, error), access ...Access,
) Tool {
	t := Tool{Spec: llm.Spec{Name: name, Description: description}}
	t.Schema, t.err = SchemaFor[In]()
	switch len(access) {
	case 0:
	case 1:
		t.Access = access[0]
	default:
		t.err = errors.Join(t.err, fmt.Errorf("tool: making %q: %d accesses, want one", name, len(access)))
	}
	if fn == nil || t.err != nil {
		return t
	}
	t.probe = probe{decode: decodeInto[In], always: !certain(reflect.TypeFor[In]())}
	t.Run = func(ctx context.Context, call Call) (Result, error) {
		deepen(len(call.Arguments))
		var in In
		if err := json.Unmarshal(call.Arguments, &in); err != nil {
			return Result{}, &badArguments{undecodable(err), err}
		}
		out, err := fn(ctx, call, in)
		if err != nil {
			return Result{}, err
		}
		return resultOf(out)
	}
	return t
}

// deepen makes the stack of a call's goroutine grow once, while there is next to
// nothing on it. Left to itself it doubles step by step below the decoding of
// arguments and is copied each time, which costs as much as the decoding.
//
//go:noinline
func deepen(n int) byte {
	var room [6 << 10]byte
	room[n%len(room)] = 1
	return room[0]
}

// KeysOf makes a tool's [Tool.Keys] of a function of its typed arguments.
func KeysOf[In any](keys func(In) Keys) func(json.RawMessage) Keys {
	return func(arguments json.RawMessage) Keys {
		var in In
		if err := json.Unmarshal(arguments, &in); err != nil {
			panic(fmt.Sprintf("arguments do not fit %T: %v", in, err)) // told by the gate, as every panic of a Keys
		}
		return keys(in)
	}
}

// A probe tells whether arguments that the schema takes can be decoded too.
type probe struct {
	decode func(json.RawMessage) error
	always bool // else only where a number is wide
}

// try returns what is wrong with the arguments. A panic of a type's own decoding
// refuses them.
func (p probe) try(arguments json.RawMessage) (faults []fault) {
	defer func() {
		if e := recover(); e != nil {
			faults = []fault{{path: root, rule: "decode", got: fmt.Sprint(e)}}
		}
	}()
	if err := p.decode(arguments); err != nil {
		return []fault{undecodable(err)}
	}
	return nil
}

func decodeInto[In any](arguments json.RawMessage) error {
	var in In
	return json.Unmarshal(arguments, &in)
}

// badArguments is the error of arguments that the schema took and the function can't.
type badArguments struct {
	fault fault
	err   error
}

func (e *badArguments) Error() string { return e.fault.got }
func (e *badArguments) Unwrap() error { return e.err }
