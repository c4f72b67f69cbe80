package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// A diff is the first place where two requests differ: a path into their JSON,
// such as messages[3].parts[0].text, and a cut of both values.
type diff struct{ path, recorded, asked string }

// difference compares requests that are known to differ and can be encoded.
func difference(recorded, asked Request) diff {
	d, _ := differ("", tree(recorded), tree(asked))
	d.path = strings.TrimPrefix(d.path, ".")
	return d
}

func tree(req Request) (v any) {
	data, err := json.Marshal(req)
	if err != nil {
		return err.Error()
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return err.Error()
	}
	return v
}

// absent is the value of a place that one of the two does not have.
type absent struct{}

func differ(path string, a, b any) (diff, bool) {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			return differMembers(path, x, y)
		}
	case []any:
		if y, ok := b.([]any); ok {
			return differItems(path, x, y)
		}
	case string:
		if y, ok := b.(string); ok {
			from := cutStart(x, y)
			return diff{path, cut(x, from), cut(y, from)}, x != y
		}
	}
	x, y := show(a), show(b)
	from := cutStart(x, y)
	return diff{path, clip(x, from), clip(y, from)}, x != y
}

func differMembers(path string, a, b map[string]any) (diff, bool) {
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if d, ok := differ(path+"."+key, member(a, key), member(b, key)); ok {
			return d, true
		}
	}
	return diff{}, false
}

func differItems(path string, a, b []any) (diff, bool) {
	for i := range max(len(a), len(b)) {
		if d, ok := differ(fmt.Sprintf("%s[%d]", path, i), item(a, i), item(b, i)); ok {
			return d, true
		}
	}
	return diff{}, false
}

func member(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return absent{}
}

func item(s []any, i int) any {
	if i < len(s) {
		return s[i]
	}
	return absent{}
}

func show(v any) string {
	if _, ok := v.(absent); ok {
		return "nothing"
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// The cut of a value: so many bytes before the first difference, and in all.
const (
	cutBefore = 20
	cutSize   = 80
)

// cutStart returns where to begin so that the first difference is in sight.
func cutStart(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return max(i-cutBefore, 0)
}

func cut(s string, from int) string { return fmt.Sprintf("%q", clip(s, from)) }

// clip cuts between characters.
func clip(s string, from int) string {
	for from > 0 && from < len(s) && !utf8.RuneStart(s[from]) {
		from--
	}
	before, after := "", ""
	if from > 0 {
		before = "…"
	}
	s = s[min(from, len(s)):]
	if len(s) > cutSize {
		to := cutSize
		for to > 0 && !utf8.RuneStart(s[to]) {
			to--
		}
		s, after = s[:to], "…"
	}
	return before + s + after
}
