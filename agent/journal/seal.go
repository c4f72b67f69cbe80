package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"strconv"
)

// maxEntry is how many bytes an entry may take, and maxLine a line. They bound
// what reading a damaged file costs.
const (
	maxEntry = 128 << 20
	maxLine  = maxEntry + 64
)

// A line is a JSON object that is sealed: its first member is a CRC-32C of all
// bytes after that member, its second the number of bytes after itself.
//
//	{"crc":"d4442152","len":69,"n":0,"at":"2026-11-30T22:07:00Z","kind":"said","fact":{"text":"hi"}}
//
// The length tells a line that was cut from one in which a byte is wrong. This
// is so in all versions, and so is the header in the first line of a log.
const (
	sealStart = `{"crc":"`
	sealLen   = `","len":`
	crcEnd    = len(sealStart) + 8
	crcFrom   = crcEnd + len(`",`)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal appends the line whose members after the seal are rest, which ends in "}".
func seal(to, rest []byte) []byte {
	start := len(to)
	to = append(to, sealStart+"00000000"+sealLen...)
	to = strconv.AppendInt(to, int64(len(rest)), 10)
	to = append(to, ',')
	to = append(to, rest...)
	sum := checksum(to[start+crcFrom:])
	copy(to[start+len(sealStart):], sum[:])
	return append(to, '\n')
}

// unseal returns the members after the seal, if the line is as it was written.
func unseal(line []byte) (rest []byte, ok bool) {
	start, length := declared(line)
	if length < 0 || len(line)-start != length {
		return nil, false
	}
	sum := checksum(line[crcFrom:])
	return line[start:], string(line[len(sealStart):crcEnd]) == string(sum[:])
}

// checksum returns the CRC-32C in eight hexadecimal digits.
func checksum(of []byte) (digits [8]byte) {
	var sum [4]byte
	binary.BigEndian.PutUint32(sum[:], crc32.Checksum(of, castagnoli))
	hex.Encode(digits[:], sum[:])
	return digits
}

// declared returns where the members after the seal start and how long they
// should be; -1 if the line has no whole seal.
func declared(line []byte) (start, length int) {
	if !bytes.HasPrefix(line, []byte(sealStart)) || len(line) < crcEnd || !bytes.HasPrefix(line[crcEnd:], []byte(sealLen)) {
		return 0, -1
	}
	n, rest, ok := number(line[crcEnd+len(sealLen):], ',')
	if !ok || n > maxLine {
		return 0, -1
	}
	return len(line) - len(rest), int(n)
}

// number reads decimal digits and the byte that ends them.
func number(in []byte, end byte) (n int64, rest []byte, ok bool) {
	for i, c := range in {
		switch {
		case c == end && i > 0:
			return n, in[i+1:], true
		case c < '0' || c > '9' || i >= 18:
			return 0, nil, false
		}
		n = n*10 + int64(c-'0')
	}
	return 0, nil, false
}

// cut tells whether the line is the beginning of one that was written: shorter
// than it says, and a JSON value that does not end. A line in which one byte is
// wrong is not both.
func cut(line []byte) bool {
	if start, length := declared(line); length >= 0 && len(line)-start >= length {
		return false
	}
	err := json.NewDecoder(bytes.NewReader(line)).Decode(new(json.RawMessage))
	return err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF)
}
