package tool

// A Use says what a call touches: everything, to read or to write it, or, when
// Keyed, what its keys name.
type Use struct {
	Access Access `json:"access,omitempty"`
	Keyed  bool   `json:"keyed,omitempty"`
	Keys   Keys   `json:"keys,omitzero"`
}
