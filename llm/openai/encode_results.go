package openai

import (
	"fmt"
	"strings"

	"github.com/triad-go/triad/llm"
)

// appendResults appends one message a result, in order. Images that results
// may not hold follow in a user message after the last of them (B238).
func (f form) appendResults(dst []byte, m llm.Message, mark bool) []byte {
	results, images := f.lift(m)
	for i, r := range results {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(append(dst, `{"role":"tool","tool_call_id":`...), mappedID(f.ids, r.CallID))
		dst = append(dst, `,"content":`...)
		last := i == len(results)-1 && len(images.Parts) == 0
		dst = append(f.appendContent(dst, resultParts(r), mark && last), '}')
	}
	if len(images.Parts) > 0 {
		dst = f.append(append(dst, ','), images, mark)
	}
	return dst
}

// resultParts returns a result as text and images. A blank result is told of:
// some providers refuse a blank content.
func resultParts(r llm.ToolResult) llm.Parts {
	parts := llm.Parts{llm.Text(r.Text)}
	switch {
	case strings.TrimSpace(r.Text) != "":
	case len(r.Images) > 0:
		parts = nil
	default:
		parts[0] = llm.Text(noOutput)
	}
	for _, image := range r.Images {
		parts = append(parts, image)
	}
	return parts
}

// lift takes the images out of results where they can't be sent in there, and
// leaves a pointer to them. The second message holds them; it has no parts if
// there are none, or if the receiver takes no images at all: then the results
// tell of them.
func (f form) lift(m llm.Message) ([]llm.ToolResult, llm.Message) {
	results := m.Results()
	images := llm.Message{Role: llm.User, Origin: llm.FromTool}
	if !f.lifts() {
		return results, images
	}
	for i, r := range results {
		var here, lifted llm.Parts
		for _, image := range r.Images {
			if f.takes(image) {
				lifted = append(lifted, image)
			} else {
				here = append(here, image)
			}
		}
		if len(lifted) == 0 {
			continue
		}
		images.Parts = append(images.Parts, llm.Text(fmt.Sprintf("Images from the result of %s (call %s):", toolName(r.Name), mappedID(f.ids, r.CallID))))
		images.Parts = append(images.Parts, lifted...)
		results[i] = pointed(r, len(lifted), here)
	}
	return results, images
}

func (f form) lifts() bool { return f.images && !f.toolImages }

// pointed returns r with a pointer to its lifted images in their place.
func pointed(r llm.ToolResult, lifted int, rest llm.Parts) llm.ToolResult {
	note := "[its image follows in a message of its own]"
	if lifted > 1 {
		note = fmt.Sprintf("[its %d images follow in a message of their own]", lifted)
	}
	if r.Text != "" {
		note = r.Text + "\n" + note
	}
	out := llm.ToolResult{CallID: r.CallID, Name: r.Name, Text: note, Failed: r.Failed}
	for _, p := range rest {
		out.Images = append(out.Images, p.(llm.Image))
	}
	return out
}
