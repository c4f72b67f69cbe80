package plan

import "math/bits"

// places is a set of places in the list of tasks, read in order. It is a tree
// of bits: each bit of a level says whether a word of the level below has any,
// so that finding the next place looks at a word or two a level, and a hundred
// thousand tasks are three levels.
type places struct {
	levels [][]uint64 // the lowest first: a bit a place
	n      int
}

func newPlaces(size int) (p places) {
	for words := size; words > 1 || p.levels == nil; {
		words = (words + 63) / 64
		p.levels = append(p.levels, make([]uint64, words))
	}
	return p
}

func (p *places) has(i int32) bool { return p.levels[0][i/64]&(1<<(i%64)) != 0 }

func (p *places) add(i int32) {
	if p.has(i) {
		return
	}
	p.n++
	for _, level := range p.levels {
		level[i/64] |= 1 << (i % 64)
		i /= 64
	}
}

func (p *places) remove(i int32) {
	if !p.has(i) {
		return
	}
	p.n--
	for _, level := range p.levels {
		if level[i/64] &^= 1 << (i % 64); level[i/64] != 0 {
			return
		}
		i /= 64
	}
}

// next returns the first place at or behind i, or -1.
func (p *places) next(i int32) int32 {
	for up, level := range p.levels {
		if int(i/64) >= len(level) {
			return -1
		}
		if rest := level[i/64] >> (i % 64); rest != 0 {
			i += int32(bits.TrailingZeros64(rest))
			for ; up > 0; up-- {
				i = i*64 + int32(bits.TrailingZeros64(p.levels[up-1][i]))
			}
			return i
		}
		i = i/64 + 1
	}
	return -1
}

func (p *places) clone() places {
	q := places{make([][]uint64, len(p.levels)), p.n}
	for l := range p.levels {
		q.levels[l] = append([]uint64(nil), p.levels[l]...)
	}
	return q
}
