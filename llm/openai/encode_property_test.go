package openai

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

// For random histories, damaged ones among them, and every dialect: the body is
// valid JSON and the same each time, keeps every rule that providers are known
// to enforce (as llmtest states them), and the request is left as it was.
//
// LLM-02, LLM-16, LLM-29, LLM-E11, LLM-E12, LLM-E16, B053, B055
func TestEveryBodyIsAcceptable(t *testing.T) {
	dialects := append(Dialects(), llm.Dialect{},
		llm.Dialect{Name: "a", Images: true, Strict: true, EchoReasoning: llm.EchoAll, Wire: llm.Wire{IDs: idsAlnum9, ToolsForResults: "keep"}},
		llm.Dialect{Name: "b", Images: true, ToolImages: true, Wire: llm.Wire{CacheMarks: true, Files: true, EmptyContent: llm.ContentNone, ToolsForResults: "text"}},
	)
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(dialects).Draw(t, "dialect")
		req := requests().Draw(t, "request")
		body := bodyOf(t, d, req)
		require.True(t, json.Valid(body) && utf8.Valid(body), "%s", body)
		require.NotContains(t, string(body), `\u0000`)
		officialReads(t, body)
		sent := fromWire(t, body)
		require.NoError(t, llmtest.Rules{Dialect: d}.Validate(sent), "%s", body)
		nothingIsLost(t, req, string(body))
	})
}

// nothingIsLost checks that each marked text arrives, and those of aborted
// replies do not. (Reasoning, and whatever a message's role can't hold, may.)
func nothingIsLost(t *rapid.T, req llm.Request, body string) {
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			mark := ""
			switch p := p.(type) {
			case llm.Text:
				mark = markIn(string(p))
			case llm.ToolResult:
				mark = markIn(p.Text)
			}
			if mark == "" {
				continue
			}
			require.Equal(t, m.Origin != llm.FromAborted, strings.Contains(body, mark), "%s in %s", mark, body)
		}
	}
}

func markIn(text string) string {
	at := strings.Index(text, "mark-")
	if at < 0 {
		return ""
	}
	return text[at : at+len("mark-0000.")]
}

// A drawer draws parts that bear marks, so that what is lost can be told.
type drawer struct {
	*rapid.T
	marks int
}

func requests() *rapid.Generator[llm.Request] {
	return rapid.Custom(func(t *rapid.T) llm.Request {
		d := &drawer{T: t}
		req := llm.Request{System: rapid.SampledFrom([]string{"", "S", "be\x00 careful\xff"}).Draw(t, "system")}
		req.Messages = append(req.Messages, llm.UserText("begin"))
		for range rapid.IntRange(0, 8).Draw(t, "n") {
			req.Messages = append(req.Messages, d.messages()...)
		}
		if rapid.Bool().Draw(t, "tools") {
			req.Tools = []llm.Spec{{Name: "look", Description: "Looks.\xed\xa0\x80"}, {Name: "save", Schema: json.RawMessage(`{"anyOf":[{"required":["a"]}]}`)}}
			req.Choice = rapid.SampledFrom([]llm.Choice{"", llm.ChoiceAuto, llm.ChoiceNone, llm.ChoiceRequired, "save"}).Draw(t, "choice")
		}
		req.Effort = rapid.SampledFrom([]string{"", "none", "high"}).Draw(t, "effort")
		return req
	})
}

// messages draws a sound unit, or one message with anything in it.
func (d *drawer) messages() []llm.Message {
	if rapid.Bool().Draw(d.T, "sound") {
		id := rapid.SampledFrom([]string{fmt.Sprintf("sound-%d", d.marks), "again"}).Draw(d.T, "id")
		return []llm.Message{
			{Role: llm.Assistant, Parts: llm.Parts{llm.Reasoning{Text: "hm"}, llm.ToolCall{ID: id, Name: "look", Arguments: "{}"}}},
			llm.Results(llm.ToolResult{CallID: id, Text: d.text()}),
		}
	}
	m := llm.Message{
		Role:   rapid.SampledFrom([]llm.Role{llm.System, llm.User, llm.Assistant, llm.Tool}).Draw(d.T, "role"),
		Origin: rapid.SampledFrom([]llm.Origin{"", "", "", llm.FromAborted}).Draw(d.T, "origin"),
		Parts:  llm.Parts{},
	}
	if m.Role != llm.Assistant {
		m.Origin = ""
	}
	for range rapid.IntRange(0, 4).Draw(d.T, "parts") {
		m.Parts = append(m.Parts, d.part(m.Role))
	}
	return []llm.Message{m}
}

func (d *drawer) text() string {
	d.marks++
	mark := fmt.Sprintf("mark-%04d.", d.marks)
	return rapid.SampledFrom([]string{mark, "", " \n", "\x00" + mark + "\xff", mark + "\xed\xa0\x80", "\"\\\t" + mark}).Draw(d.T, "text")
}

func (d *drawer) part(role llm.Role) llm.Part {
	id := rapid.SampledFrom([]string{"k1", "k2", "", "functions.look:0", strings.Repeat("k", 99), "abcDEF123"}).Draw(d.T, "id")
	image := llm.Image{MediaType: rapid.SampledFrom([]string{"image/png", "application/pdf"}).Draw(d.T, "media"), Data: []byte("data")}
	switch rapid.IntRange(0, 4).Draw(d.T, "kind") {
	case 0:
		return llm.Text(d.text())
	case 1:
		return llm.Reasoning{Text: rapid.SampledFrom([]string{"", "hm", "\x00"}).Draw(d.T, "reasoning"), Seal: llm.Seal{Maker: "openrouter", Data: `{"reasoning_details":[1]}`}}
	case 2:
		return image
	case 3:
		return llm.ToolCall{
			ID: id, Name: rapid.SampledFrom([]string{"look", "", "fun.look", strings.Repeat("ü", 50)}).Draw(d.T, "name"),
			Arguments: rapid.SampledFrom([]string{"", "{}", "null", `{"a":`, `[1]`, `"{\"a\":1}"`, `{"a":"\ud800\u0000"}`, "{\"a\":\"\xff\"}", "\x00"}).Draw(d.T, "arguments"),
		}
	}
	return llm.ToolResult{CallID: id, Name: "look", Text: d.text(), Images: []llm.Image{image}[:rapid.IntRange(0, 1).Draw(d.T, "images")]}
}

// fromWire reads a body back into a request, to be judged by rules that know
// nothing of the wire.
func fromWire(t require.TestingT, raw []byte) (req llm.Request) {
	var b body
	require.NoError(t, json.Unmarshal(raw, &b))
	for _, m := range b.Messages {
		switch m.Role {
		case "tool":
			result := llm.ToolResult{CallID: m.CallID}
			for _, p := range contentParts(t, m.Content) {
				switch p := p.(type) {
				case llm.Text:
					result.Text += string(p)
				case llm.Image:
					result.Images = append(result.Images, p)
				}
			}
			if n := len(req.Messages); n > 0 && req.Messages[n-1].Role == llm.Tool {
				req.Messages[n-1].Parts = append(req.Messages[n-1].Parts, result)
			} else {
				req.Messages = append(req.Messages, llm.Results(result))
			}
		default:
			out := llm.Message{Role: llm.Role(m.Role), Parts: contentParts(t, m.Content)}
			if text := m.Reasoning + m.Other; text != "" || len(m.Details) > 0 {
				out.Parts = append(llm.Parts{llm.Reasoning{Text: text + "."}}, out.Parts...)
			}
			for _, c := range m.ToolCalls {
				out.Parts = append(out.Parts, llm.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
			}
			req.Messages = append(req.Messages, out)
		}
	}
	for _, raw := range b.Tools {
		f := value(raw).member("function")
		req.Tools = append(req.Tools, llm.Spec{Name: f.member("name").text(), Schema: json.RawMessage(f.member("parameters"))})
	}
	if choice := value(b.ToolChoice); choice.isObject() {
		req.Choice = llm.Choice(choice.member("function").member("name").text())
	} else {
		req.Choice = llm.Choice(choice.text())
	}
	return req
}

func contentParts(t require.TestingT, content json.RawMessage) (parts llm.Parts) {
	v := value(content)
	if v.isString() && v.text() != "" {
		return llm.Parts{llm.Text(v.text())}
	}
	for item := range v.list() {
		url := item.member("image_url").member("url").text() + item.member("file").member("file_data").text()
		if url == "" {
			parts = append(parts, llm.Text(item.member("text").text()))
			continue
		}
		media, data, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
		require.True(t, ok, url)
		file, err := base64.StdEncoding.DecodeString(data)
		require.NoError(t, err)
		parts = append(parts, llm.Image{MediaType: media, Data: file})
	}
	return parts
}
