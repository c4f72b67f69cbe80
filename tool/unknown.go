package tool

import (
	"cmp"
	"slices"
	"strings"
)

// unknown returns what the model is told when it calls a tool that the list
// does not have: the names that it has, the nearest first.
func (l *List) unknown(name string) string {
	words := l.words()
	if l.Len() == 0 {
		return fill(words.NoTools, "name", shorten(name))
	}
	type known struct {
		name     string
		distance int
	}
	want := plain(name)
	names := make([]known, 0, l.Len())
	for _, e := range l.all() {
		names = append(names, known{e.tool.Name, distance(want, plain(e.tool.Name))})
	}
	slices.SortStableFunc(names, func(a, b known) int { return cmp.Compare(a.distance, b.distance) })
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = n.name
	}
	return fill(words.UnknownTool, "name", shorten(name), "known", strings.Join(list, ", "))
}

// plain takes from a name what models add to it or write otherwise: a prefix
// that ends in a dot, slash or colon, capitals, dashes and underscores.
func plain(name string) string {
	name = shorten(name)
	if i := strings.LastIndexAny(name, "./:"); i >= 0 && i+1 < len(name) {
		name = name[i+1:]
	}
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}

// shorten bounds what is compared and told of a name that a model made up.
func shorten(name string) string {
	if runes := []rune(name); len(runes) > 100 {
		return string(runes[:100]) + "..."
	}
	return name
}

// distance is the number of characters to put in, take out or change to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
