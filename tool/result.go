package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// resultOf returns what a typed function returned as a result. Empty text
// stays empty; [Tool.Do] says what is told instead.
func resultOf(out any) (Result, error) {
	switch out := out.(type) {
	case nil:
		return Result{}, nil
	case Result:
		return out, nil
	case string:
		return Text(out), nil
	case []byte:
		return Text(string(out)), nil
	case json.RawMessage:
		return Text(string(out)), nil
	}
	v := reflect.ValueOf(out)
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if v.IsNil() {
			return Result{}, nil
		}
	case reflect.String:
		if _, ok := out.(json.Marshaler); !ok {
			return Text(v.String()), nil
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // a model reads it, no browser
	if err := e.Encode(out); err != nil {
		return Result{}, fmt.Errorf("the tool's result can't be told: %w", err)
	}
	return Text(strings.TrimSuffix(b.String(), "\n")), nil
}

// said returns text, which the tool itself said, as the model is told it:
// described if it is binary, cut if it is long, wrapped if it is not trusted.
func (t *Tool) said(text string) string {
	if text == "" {
		return t.words().Empty
	}
	text = t.bounded(text)
	if t.Untrusted {
		text = t.words().untrusted(text, t.Name)
	}
	return text
}

// bounded returns text as something that can be told: described if it is
// binary, cut if it is long.
func (t *Tool) bounded(text string) string {
	words := t.words()
	switch {
	case strings.IndexByte(text, 0) >= 0:
		head := []byte(text[:min(len(text), 512)])
		text = fill(words.Binary, "type", http.DetectContentType(head), "bytes", strconv.Itoa(len(text)))
	case !utf8.ValidString(text):
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	most := t.MaxText
	if most == 0 {
		most = DefaultMaxText
	}
	return words.cut(text, most)
}

func (t *Tool) words() *Texts {
	if t.texts == nil {
		return english
	}
	return t.texts
}

// Cut returns text in at most that many bytes: its head and its tail, and
// between them a note that says how many bytes are left out. It cuts between
// characters. The note counts too, but is itself never cut.
func Cut(text string, most int) string { return english.cut(text, most) }

func (t *Texts) cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	// The note grows with the number in it, so make room for the longest.
	room := max(0, most-len(fill(t.Cut, "bytes", strconv.Itoa(len(text)))))
	head, tail := room-room/3, len(text)-room/3
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + fill(t.Cut, "bytes", strconv.Itoa(tail-head)) + text[tail:]
}
