package llm_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
)

// LLM-24: every kind of chunk has its name and survives JSON.
func TestEveryKindOfChunkSurvivesJSON(t *testing.T) {
	cause := &llm.Error{Kind: llm.ErrUnavailable, Client: "fake", Status: 503, Message: "busy", Usage: llm.Usage{Input: 7}}
	tests := []struct {
		kind  string
		chunk llm.Chunk
		json  string
	}{
		{"text_delta", llm.TextDelta("Hel"), `"Hel"`},
		{"text_delta", llm.TextDelta(""), `""`},
		{"reasoning_delta", llm.ReasoningDelta("hm"), `"hm"`},
		{"call_delta", llm.CallDelta{Index: 1, Name: "look", Bytes: 12}, `{"index":1,"name":"look","bytes":12}`},
		{
			"restart", llm.Restart{Attempt: 2, Wait: time.Second, Cause: cause},
			`{"attempt":2,"wait":1000000000,"cause":{"kind":"unavailable","client":"fake","status":503,"message":"busy","usage":{"input":7,"output":0}}}`,
		},
		{"retry_notice", llm.RetryNotice{Attempt: 3, GaveUp: true}, `{"attempt":3,"cause":null,"gave_up":true}`},
		{"retry_notice", llm.RetryNotice{Attempt: 1, Cause: cause, Next: "spare"}, ""},
		{
			"reply", replying("Hello"),
			`{"message":{"role":"assistant","origin":"model","parts":[{"text":"Hello"}]},"finish":"stop","usage":{"input":10,"output":5},"model":"fake-1"}`,
		},
	}
	for _, test := range tests {
		t.Run(test.kind, func(t *testing.T) {
			require.Equal(t, test.kind, test.chunk.Kind())
			data, err := json.Marshal(llm.Chunks{test.chunk})
			require.NoError(t, err)
			if test.json != "" {
				require.Equal(t, `[{"`+test.kind+`":`+test.json+`}]`, string(data))
			}
			var back llm.Chunks
			require.NoError(t, json.Unmarshal(data, &back))
			require.Equal(t, llm.Chunks{test.chunk}, back)
		})
	}
}

func TestChunksThatAreNone(t *testing.T) {
	for name, data := range map[string]string{
		"unknown": `[{"video_delta":"x"}]`, "none": `[{}]`, "two": `[{"text_delta":"a","reasoning_delta":"b"}]`,
		"no list": `{}`, "wrong type": `[{"text_delta":1}]`, "bad reply": `[{"reply":{"message":{"parts":[{}]}}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			var cs llm.Chunks
			require.ErrorContains(t, json.Unmarshal([]byte(data), &cs), "llm: decoding chunk")
			require.Nil(t, cs)
		})
	}
	_, err := json.Marshal(llm.Chunks{nil})
	require.ErrorContains(t, err, "encoding chunk 0")
	_, err = json.Marshal(llm.Chunks{&llm.Restart{}})
	require.ErrorContains(t, err, "chunks are values")
	require.Nil(t, throughJSON(t, llm.Chunks(nil)))
	require.Equal(t, llm.Chunks{}, throughJSON(t, llm.Chunks{}))
}
