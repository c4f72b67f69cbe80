package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"math/big"
)

// The forms of [llm.Wire.IDs].
const (
	idsAny    = "any"
	idsAlnum9 = "alnum9"
)

// The longest ids that are sent. The official API takes 40 bytes; none is
// known to take more than 64.
const (
	maxID    = 40
	maxAnyID = 64
)

// mappedID returns id in the form that the receiver takes. An id that has it
// already stays; any other becomes a digest of itself, so that a call and its
// result are mapped alike, in every request (LLM-E16).
func mappedID(form, id string) string {
	switch form {
	case idsAny:
		if id != "" && len(id) <= maxAnyID {
			return id
		}
	case idsAlnum9:
		if len(id) == 9 && only(id, isAlnum) {
			return id
		}
		return digest62(id)
	default:
		if id != "" && len(id) <= maxID && only(id, isNameByte) {
			return id
		}
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:16])
}

// digest62 returns nine letters or digits, of 62 kinds.
func digest62(id string) string {
	sum := sha256.Sum256([]byte(id))
	text := new(big.Int).SetBytes(sum[:]).Text(62)
	return text[len(text)-9:]
}

// toolName returns the name of a call in the form that all providers take:
// 1 to 64 letters, digits, _ and -. The names of tools have it; what a model
// makes up may not, and would make the history unacceptable for ever.
func toolName(name string) string {
	if name == "" {
		return "unnamed"
	}
	name = name[:min(len(name), 64)]
	if only(name, isNameByte) {
		return name
	}
	b := []byte(name)
	for i, c := range b {
		if !isNameByte(c) {
			b[i] = '_'
		}
	}
	return string(b)
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isNameByte(c byte) bool { return isAlnum(c) || c == '_' || c == '-' }

func only(s string, ok func(byte) bool) bool {
	for i := range len(s) {
		if !ok(s[i]) {
			return false
		}
	}
	return true
}
