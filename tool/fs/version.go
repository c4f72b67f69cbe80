package fs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"os"
)

// maxHashed is the size up to which a version is told by content.
const maxHashed = 4 << 20

// chunk is how much of a file is read between two looks at the context.
const chunk = 256 << 10

// A version tells whether a file is still what it was: by its content, or, for
// large files, by its size, its time and its being the same file.
type version struct {
	info   os.FileInfo
	sum    [sha256.Size]byte
	hashed bool
}

func versionOf(info os.FileInfo, content []byte) version {
	if len(content) > maxHashed {
		return version{info: info}
	}
	return version{info: info, sum: sha256.Sum256(content), hashed: true}
}

func (v version) same(w version) bool {
	if v.hashed || w.hashed {
		return v.hashed && w.hashed && v.sum == w.sum
	}
	return v.info.Size() == w.info.Size() && v.info.ModTime().Equal(w.info.ModTime()) && os.SameFile(v.info, w.info)
}

// readVersion returns the version of an open file, and its content if it is not large.
func readVersion(ctx context.Context, file *os.File, info os.FileInfo) (version, []byte, error) {
	if info.Size() > maxHashed {
		return version{info: info}, nil, nil
	}
	content, err := readAll(ctx, file, maxHashed+1)
	if err != nil || len(content) > maxHashed {
		return version{info: info}, nil, err
	}
	return versionOf(info, content), content, nil
}

// readAll reads at most limit bytes, and stops when ctx ends.
func readAll(ctx context.Context, r io.Reader, limit int64) ([]byte, error) {
	var content bytes.Buffer
	for left := limit; left > 0; {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		n, err := io.CopyN(&content, r, min(left, chunk))
		if left -= n; err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
	}
	return content.Bytes(), nil
}

// remember notes which version of a file the agent knows now.
func (f *FS) remember(name string, v version) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen[name] = v
}

// known returns the version that the agent knows, if it knows one.
func (f *FS) known(name string) (version, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v, ok := f.seen[name]
	return v, ok
}
