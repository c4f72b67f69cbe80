package llm_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
	"pgregory.net/rapid"
)

func TestPartsAsJSON(t *testing.T) {
	tests := []struct {
		name  string
		parts llm.Parts
		json  string
	}{
		{"nil", nil, `null`},
		{"empty", llm.Parts{}, `[]`},
		{"empty text", llm.Parts{llm.Text("")}, `[{"text":""}]`},
		{"reasoning", llm.Parts{llm.Reasoning{Text: "hm"}}, `[{"reasoning":{"text":"hm"}}]`},
		{"sealed only", llm.Parts{llm.Reasoning{Seal: llm.Seal{Maker: "m", Data: "d"}}}, `[{"reasoning":{"seal":{"maker":"m","data":"d"}}}]`},
		{"image", llm.Parts{llm.Image{MediaType: "image/png", Data: []byte{0, 255}}}, `[{"image":{"media_type":"image/png","data":"AP8="}}]`},
		{"empty image", llm.Parts{llm.Image{Data: []byte{}}}, `[{"image":{"media_type":"","data":""}}]`},
		{"image without data", llm.Parts{llm.Image{}}, `[{"image":{"media_type":"","data":null}}]`},
		{"call", llm.Parts{llm.ToolCall{ID: "1", Name: "t", Arguments: `{"a":1}`}}, `[{"call":{"id":"1","name":"t","arguments":"{\"a\":1}"}}]`},
		{"result", llm.Parts{llm.ToolResult{CallID: "1", Text: "", Failed: true}}, `[{"result":{"call_id":"1","text":"","failed":true}}]`},
		{"no images", llm.Parts{llm.ToolResult{CallID: "1", Images: []llm.Image{}}}, `[{"result":{"call_id":"1","text":"","images":[]}}]`},
		{"not UTF-8", llm.Parts{llm.Text("a\xff")}, `[{"text":"a\ufffd","raw":"Yf8="}]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data, err := json.Marshal(test.parts)
			require.NoError(t, err)
			require.Equal(t, test.json, string(data))
			var back llm.Parts
			require.NoError(t, json.Unmarshal(data, &back))
			require.Equal(t, test.parts, back)
		})
	}
}

func TestPartsThatAreNone(t *testing.T) {
	for name, data := range map[string]string{
		"no kind":      `[{"text":"a"},{}]`,
		"unknown kind": `[{"video":{}}]`,
		"null":         `[null]`,
		"null kind":    `[{"text":null}]`,
		"two kinds":    `[{"text":"a","call":{}}]`,
		"no list":      `{"text":"a"}`,
		"wrong type":   `[{"text":1}]`,
		"bad raw":      `[{"text":"a","raw":"!"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			parts := llm.Parts{llm.Text("before")}
			err := parts.UnmarshalJSON([]byte(data))
			require.ErrorContains(t, err, "llm: decoding part")
			require.Equal(t, llm.Parts{llm.Text("before")}, parts)
		})
	}
	_, err := json.Marshal(llm.Parts{llm.Text("a"), nil})
	require.ErrorContains(t, err, "encoding part 1")
	_, err = json.Marshal(llm.Parts{&llm.ToolCall{}})
	require.ErrorContains(t, err, "parts are values")
}

// A member that a later version may add does not make a log unreadable.
func TestPartsPassOverUnknownMembers(t *testing.T) {
	var parts llm.Parts
	require.NoError(t, json.Unmarshal([]byte(`[{"text":"a","note":{"x":1}}]`), &parts))
	require.Equal(t, llm.Parts{llm.Text("a")}, parts)
}

// anyText is any bytes at all, often text.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
}

func anyPart() *rapid.Generator[llm.Part] {
	seal := rapid.Custom(func(t *rapid.T) llm.Seal {
		return rapid.SampledFrom([]llm.Seal{{}, {Maker: "m"}, {Maker: "m", Data: "<sig>"}}).Draw(t, "seal")
	})
	image := rapid.Custom(func(t *rapid.T) llm.Image {
		return llm.Image{MediaType: rapid.String().Draw(t, "type"), Data: anyBytes(t)}
	})
	return rapid.Custom(func(t *rapid.T) llm.Part {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return llm.Text(anyText().Draw(t, "text"))
		case 1:
			return llm.Reasoning{Text: anyText().Draw(t, "reasoning"), Seal: seal.Draw(t, "seal")}
		case 2:
			return image.Draw(t, "image")
		case 3:
			return llm.ToolCall{
				ID: rapid.String().Draw(t, "id"), Name: rapid.String().Draw(t, "name"),
				Arguments: anyText().Draw(t, "arguments"), Seal: seal.Draw(t, "seal"),
			}
		default:
			r := llm.ToolResult{
				CallID: rapid.String().Draw(t, "id"), Name: rapid.String().Draw(t, "name"),
				Text: anyText().Draw(t, "text"), Failed: rapid.Bool().Draw(t, "failed"),
			}
			if rapid.Bool().Draw(t, "illustrated") {
				r.Images = rapid.SliceOfN(image, 0, 3).Draw(t, "images")
			}
			return r
		}
	})
}

func anyBytes(t *rapid.T) []byte {
	if rapid.Bool().Draw(t, "none") {
		return nil
	}
	return rapid.SliceOf(rapid.Byte()).Draw(t, "data")
}

func anyMessage() *rapid.Generator[llm.Message] {
	return rapid.Custom(func(t *rapid.T) llm.Message {
		m := llm.Message{
			Role:   rapid.SampledFrom([]llm.Role{llm.System, llm.User, llm.Assistant, llm.Tool}).Draw(t, "role"),
			Origin: rapid.SampledFrom([]llm.Origin{"", llm.FromUser, llm.FromSummary}).Draw(t, "origin"),
		}
		if rapid.Bool().Draw(t, "any parts") {
			m.Parts = rapid.SliceOfN(anyPart(), 0, 5).Draw(t, "parts")
		}
		return m
	})
}

// LLM-04: any message comes back from JSON as it was, and encodes the same again.
func TestAnyMessageSurvivesJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyMessage().Draw(t, "message")
		data, err := json.Marshal(m)
		require.NoError(t, err)
		var back llm.Message
		require.NoError(t, json.Unmarshal(data, &back))
		if !reflect.DeepEqual(m, back) {
			t.Fatalf("%#v came back as %#v from %s", m, back, data)
		}
		again, err := json.Marshal(back)
		require.NoError(t, err)
		require.Equal(t, string(data), string(again))
	})
}

func FuzzParts(f *testing.F) {
	for _, seed := range []string{
		`null`, `[]`, `[{"text":"a"}]`, `[{"text":"a","raw":"Yf8="}]`, `[{"reasoning":{"seal":{"maker":"m","data":"d"}}}]`,
		`[{"image":{"media_type":"image/png","data":"AP8="}}]`, `[{"call":{"id":"1","name":"n","arguments":"{"}}]`,
		`[{"result":{"call_id":"1","text":"x","images":[]}}]`, `[{"text":"a","TEXT":"b"}]`, `[{"call":{}},{"result":{}}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var parts llm.Parts
		if json.Unmarshal(data, &parts) != nil {
			return
		}
		out, err := json.Marshal(parts)
		require.NoError(t, err)
		var back llm.Parts
		require.NoError(t, json.Unmarshal(out, &back))
		require.Equal(t, parts, back)
	})
}
