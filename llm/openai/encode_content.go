package openai

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/triad-go/triad/llm"
)

// appendContent appends text and images: a string where there is only text, so
// that servers that know nothing else are served, else a list in the order of
// the parts.
func (f form) appendContent(dst []byte, parts llm.Parts, mark bool) []byte {
	pieces := f.pieces(parts)
	if len(pieces) == 1 && pieces[0].image == nil && !mark {
		return appendString(dst, pieces[0].text)
	}
	dst = append(dst, '[')
	for i, p := range pieces {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = p.append(dst)
		if mark && i == len(pieces)-1 {
			dst = append(dst[:len(dst)-1], cacheMark+"}"...)
		}
	}
	return append(dst, ']')
}

// A piece is one entry of a content list.
type piece struct {
	text  string
	image *llm.Image
}

// pieces joins neighboring texts. Images that the receiver does not take are
// told of in words, neighbors among them together.
func (f form) pieces(parts llm.Parts) (out []piece) {
	say := func(text string) {
		if n := len(out); n > 0 && out[n-1].image == nil {
			out[n-1].text += text
			return
		}
		out = append(out, piece{text: text})
	}
	for i := 0; i < len(parts); i++ {
		switch p := parts[i].(type) {
		case llm.Text:
			if p != "" {
				say(string(p))
			}
		case llm.Image:
			if f.takes(p) {
				out = append(out, piece{image: &p})
				continue
			}
			from := i
			for i+1 < len(parts) && f.leavesOut(parts[i+1]) {
				i++
			}
			if n := len(out); n > 0 && out[n-1].image == nil {
				say("\n")
			}
			say(placeholder(parts[from : i+1]))
			if i+1 < len(parts) {
				if _, ok := parts[i+1].(llm.Text); ok {
					say("\n")
				}
			}
		}
	}
	if len(out) > 1 {
		out = slices.DeleteFunc(out, piece.blank)
	}
	return out
}

// blank tells whether a piece is text that some providers refuse in a list.
func (p piece) blank() bool { return p.image == nil && strings.TrimSpace(p.text) == "" }

// placeholder tells of images, or other documents, that are not sent.
func placeholder(left llm.Parts) string {
	what := "image"
	for _, p := range left {
		if !isImage(p.(llm.Image)) {
			what = "attachment"
		}
	}
	if len(left) > 1 {
		what += "s"
	}
	return fmt.Sprintf("[%d %s left out: this model takes none]", len(left), what)
}

func (f form) leavesOut(p llm.Part) bool {
	image, ok := p.(llm.Image)
	return ok && !f.takes(image)
}

// takes tells whether an image, or another document, can be sent.
func (f form) takes(image llm.Image) bool {
	return f.images && len(image.Data) > 0 && (isImage(image) || f.files)
}

func isImage(image llm.Image) bool { return strings.HasPrefix(mediaType(image), "image/") }

func mediaType(image llm.Image) string {
	if image.MediaType != "" {
		return image.MediaType
	}
	return http.DetectContentType(image.Data)
}

func (p piece) append(dst []byte) []byte {
	if p.image == nil {
		return append(appendString(append(dst, `{"type":"text","text":`...), p.text), '}')
	}
	media := mediaType(*p.image)
	if isImage(*p.image) {
		dst = append(dst, `{"type":"image_url","image_url":{"url":`...)
	} else {
		name := "document." + media[strings.LastIndexByte(media, '/')+1:]
		dst = append(appendString(append(dst, `{"type":"file","file":{"filename":`...), name), `,"file_data":`...)
	}
	dst = appendString(dst, "data:"+media+";base64,")
	dst = base64.StdEncoding.AppendEncode(dst[:len(dst)-1], p.image.Data)
	return append(dst, `"}}`...)
}
