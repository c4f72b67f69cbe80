package plan

import "math/bits"

// places is a set of places in the list of tasks, read in order. Finding the
// next one looks at a 4096th of the list at most.
type places struct {
	words, blocks []uint64 // a bit a place; a bit a word that is not 0
	n             int
}

func newPlaces(size int) places {
	words := (size + 63) / 64
	return places{words: make([]uint64, words), blocks: make([]uint64, (words+63)/64)}
}

func (p *places) has(i int32) bool { return p.words[i/64]&(1<<(i%64)) != 0 }

func (p *places) add(i int32) {
	if !p.has(i) {
		p.n++
		p.words[i/64] |= 1 << (i % 64)
		p.blocks[i/4096] |= 1 << (i / 64 % 64)
	}
}

func (p *places) remove(i int32) {
	if p.has(i) {
		p.n--
		if p.words[i/64] &^= 1 << (i % 64); p.words[i/64] == 0 {
			p.blocks[i/4096] &^= 1 << (i / 64 % 64)
		}
	}
}

// next returns the first place at or behind i, or -1.
func (p *places) next(i int32) int32 {
	if p.n == 0 || int(i/64) >= len(p.words) {
		return -1
	}
	w := i / 64
	if rest := p.words[w] >> (i % 64); rest != 0 {
		return i + int32(bits.TrailingZeros64(rest))
	}
	w++
	for b := w / 64; int(b) < len(p.blocks); b++ {
		block := p.blocks[b]
		if b == w/64 {
			block &^= 1<<(w%64) - 1
		}
		if block != 0 {
			w = b*64 + int32(bits.TrailingZeros64(block))
			return w*64 + int32(bits.TrailingZeros64(p.words[w]))
		}
	}
	return -1
}

func (p *places) clone() places {
	q := *p
	q.words, q.blocks = append([]uint64(nil), p.words...), append([]uint64(nil), p.blocks...)
	return q
}
