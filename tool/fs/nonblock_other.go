//go:build !unix

package fs

// nonblock is nothing where no pipe stands in a directory.
const nonblock = 0
