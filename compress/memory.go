package compress

// A Memory is what compressors remember of one run, such as how much of its
// history has been counted. The zero Memory is ready. It is not stored: a run
// that is opened again begins with an empty one.
type Memory struct{}
