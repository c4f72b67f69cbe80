package plan

import (
	"slices"
	"strings"
)

// connect finds the edges between tasks, and what is wrong with them. Known are
// ids outside the list that may be depended on. References in arguments become
// dependencies.
func connect(tasks []Task, known map[string]bool, faults *faultList) edges {
	e := numbered(tasks, faults)
	for i := range tasks {
		refer(tasks, i, e.at, known, faults)
		tasks[i].Dependencies = distinct(tasks[i].Dependencies)
	}
	e.join(tasks, known, faults)
	for _, ring := range rings(e) {
		names := make([]string, len(ring))
		for k, i := range ring {
			names[k] = tasks[i].ID
		}
		*faults = append(*faults, Fault{Cycle, names, "these tasks need each other: " + spell(e, ring, names)})
	}
	return e
}

// link finds the edges between tasks that were checked before.
func link(tasks []Task, faults *faultList) edges {
	e := numbered(tasks, faults)
	e.join(tasks, nil, faults)
	return e
}

// numbered finds the places of the ids.
func numbered(tasks []Task, faults *faultList) edges {
	e := edges{up: make([][]int32, len(tasks)), down: make([][]int32, len(tasks)), at: make(map[string]int32, len(tasks))}
	repeated := map[string]bool{}
	for i := range tasks {
		id := tasks[i].ID
		if _, twice := e.at[id]; !twice {
			e.at[id] = int32(i)
		} else if !repeated[id] && strings.TrimSpace(id) != "" {
			repeated[id] = true
			faults.add(RepeatedID, id, "several tasks have this id")
		}
	}
	return e
}

// join adds the edges. Those of all tasks lie in two arrays, in order of the
// tasks, so that who goes through a large plan finds the next ones in the cache.
func (e *edges) join(tasks []Task, known map[string]bool, faults *faultList) {
	all := 0
	for i := range tasks {
		all += len(tasks[i].Dependencies)
	}
	up, needed := make([]int32, 0, all), make([]int32, len(tasks))
	for i := range tasks {
		t, from := &tasks[i], len(up)
		for _, id := range t.Dependencies {
			j, ok := e.at[id]
			switch {
			case ok && t.ID == id:
				faults.add(SelfDependency, id, "the task depends on itself")
			case ok:
				up = append(up, j)
				needed[j]++
			case !known[id]:
				faults.add(UnknownDependency, t.ID, "it depends on %q, which is no task", id)
			}
		}
		e.up[i] = up[from:len(up):len(up)]
	}
	down := make([]int32, len(up))
	for j, n := range needed {
		e.down[j], down = down[:0:n], down[n:]
	}
	for i := range e.up {
		for _, j := range e.up[i] {
			e.down[j] = append(e.down[j], int32(i))
		}
	}
}

// distinct returns ids without repeats, in the same array.
func distinct(ids []string) []string {
	if len(ids) < 9 { // no map is made for the usual few
		kept := ids[:0]
		for _, id := range ids {
			if !slices.Contains(kept, id) {
				kept = append(kept, id)
			}
		}
		return kept
	}
	seen, kept := make(map[string]bool, len(ids)), ids[:0]
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			kept = append(kept, id)
		}
	}
	return kept
}

// topological returns the tasks in an order in which each stands behind what it
// depends on; those in cycles and behind them are left out.
func topological(e edges) []int32 {
	waits := make([]int32, len(e.up))
	order := make([]int32, 0, len(e.up))
	for i := range e.up {
		if waits[i] = int32(len(e.up[i])); waits[i] == 0 {
			order = append(order, int32(i))
		}
	}
	for next := 0; next < len(order); next++ {
		for _, j := range e.down[order[next]] {
			if waits[j]--; waits[j] == 0 {
				order = append(order, j)
			}
		}
	}
	return order
}

// rings returns the sets of tasks that need each other, each in order of the
// list: the strongly connected components of more than one. It is Tarjan's
// algorithm without recursion, so a chain of any length needs no deep stack.
func rings(e edges) (found [][]int32) {
	n := len(e.up)
	if len(topological(e)) == n {
		return nil
	}
	index, low := make([]int32, n), make([]int32, n) // 0 is not visited
	onStack := make([]bool, n)
	var stack []int32
	type frame struct{ node, edge int32 }
	var path []frame
	counter := int32(0)
	for root := range e.up {
		if index[root] != 0 {
			continue
		}
		path = append(path, frame{int32(root), 0})
		for len(path) > 0 {
			f := &path[len(path)-1]
			v := f.node
			if f.edge == 0 && index[v] == 0 {
				counter++
				index[v], low[v], onStack[v] = counter, counter, true
				stack = append(stack, v)
			}
			if int(f.edge) < len(e.up[v]) {
				w := e.up[v][f.edge]
				f.edge++
				if index[w] == 0 {
					path = append(path, frame{w, 0})
				} else if onStack[w] {
					low[v] = min(low[v], index[w])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				low[path[len(path)-1].node] = min(low[path[len(path)-1].node], low[v])
			}
			if low[v] == index[v] {
				cut := len(stack) - 1
				for stack[cut] != v {
					cut--
				}
				if ring := slices.Clone(stack[cut:]); len(ring) > 1 {
					slices.Sort(ring)
					found = append(found, ring)
				}
				for _, w := range stack[cut:] {
					onStack[w] = false
				}
				stack = stack[:cut]
			}
		}
	}
	slices.SortFunc(found, func(a, b []int32) int { return int(a[0] - b[0]) })
	return found
}

// spell writes a ring out: "a → b → a" where each member needs exactly one
// other, and a list otherwise.
func spell(e edges, ring []int32, names []string) string {
	in := make(map[int32]int, len(ring))
	for k, i := range ring {
		in[i] = k
	}
	var b strings.Builder
	at := 0
	for range ring {
		b.WriteString(names[at] + " → ")
		next := -1
		for _, j := range e.up[ring[at]] {
			if k, ok := in[j]; ok {
				if next >= 0 {
					return strings.Join(names, ", ")
				}
				next = k
			}
		}
		at = next
	}
	return b.String() + names[at]
}
