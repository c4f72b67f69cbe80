package team_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/team"
)

// TEAM-09, TEAM-E65, TEAM-E66, B196, B198: only a JSON true approves, only a
// JSON false rejects, all else is unreadable.
func TestParseVerdict(t *testing.T) {
	for reply, want := range map[string]string{
		`{"approved": true}`:                                        "yes",
		` {"approved":true,"summary":"fine"} `:                      "yes",
		"```json\n{\"approved\": true}\n```":                        "yes",
		"```\n{\"approved\": true}\n```\n":                          "yes",
		"```json\r\n{\"approved\": true}\r\n```":                    "yes",
		`{"approved": true, "issues": ["a remark"]}`:                "yes",
		`{"extra": {"approved": false}, "approved": true}`:          "yes",
		`{"approved": true, "issues": "` + "not approved" + `"}`:    "yes",
		`{"\u0061pproved": true}`:                                   "yes",
		`{"approved": false}`:                                       "no",
		`{"approved": false, "issues": ["approved: true"]}`:         "no",
		"```json\n{\"approved\": false}\n```":                       "no",
		`{"approved": "true"}`:                                      `"approved" must be the boolean`,
		`{"approved": "false"}`:                                     `"approved" must be the boolean`,
		`{"approved": 1}`:                                           `"approved" must be the boolean`,
		`{"approved": 0}`:                                           `"approved" must be the boolean`,
		`{"approved": null}`:                                        `"approved" must be the boolean`,
		`{"approved": [true]}`:                                      `"approved" must be the boolean`,
		`{"approved": {"value": true}}`:                             `"approved" must be the boolean`,
		`{}`:                                                        `"approved" is missing`,
		`{"Approved": true}`:                                        `"approved" is missing`,
		`{"verdict": {"approved": true}}`:                           `"approved" is missing`,
		`{"approved": true, "approved": true}`:                      "stands twice",
		`{"approved": false, "\u0061pproved": true}`:                "stands twice",
		`{"approved": true, "issues": [{"a": 1, "a": 2}]}`:          "stands twice",
		`{"approved": true, "x": {"approved": 1, "approved": 2}}`:   "stands twice",
		`{"approved": true}{"approved": true}`:                      "more stands after",
		"{\"approved\": true}\n{\"approved\": false}":               "more stands after",
		`{"approved": true} Well done.`:                             "more stands after",
		`Approved. {"approved": true}`:                              "not one complete JSON object",
		"Here:\n```json\n{\"approved\": true}\n```":                 "not one complete JSON object",
		"```json\n{\"approved\": true}\n```\nWell done.":            "not one complete JSON object",
		"```json\n{\"approved\": true}\n```\n```\n{}\n```":          "more stands after",
		"```json\n{\"approved\": true}":                             "not one complete JSON object",
		"```json\n{\"approved\": true, \"summary\": \"a\nb\"}\n```": "not one complete JSON object", // B198
		`{"approved": true, "summary": "it is`:                      "not one complete JSON object",
		`{"approved": tru`:                                          "not one complete JSON object",
		`{"approved": True}`:                                        "not one complete JSON object",
		`[{"approved": true}]`:                                      "no object",
		`true`:                                                      "no object",
		`"approved"`:                                                "no object",
		``:                                                          "empty",
		"```":                                                       "not one complete",
		"not approved":                                              "not one complete", // B196
		"unapproved changes":                                        "not one complete",
		"DISAPPROVE":                                                "not one complete",
		"I cannot approve this yet":                                 "not one complete",
		"approved":                                                  "not one complete",
		`{approved: true}`:                                          "not one complete",
		`{"approved": true,}`:                                       "not one complete",
		`{"approved": true // fine` + "\n}":                         "not one complete",
	} {
		v, err := team.ParseVerdict(reply)
		switch want {
		case "yes", "no":
			require.NoError(t, err, reply)
			require.Equal(t, want == "yes", v.Approved, reply)
		default:
			require.ErrorIs(t, err, team.ErrNoVerdict, reply)
			require.ErrorContains(t, err, want, reply)
			require.False(t, v.Approved, reply)
		}
	}
}

// TEAM-09: other fields are taken as they come, and issues beside true are kept.
func TestVerdictFields(t *testing.T) {
	v, err := team.ParseVerdict(`{"approved": true, "summary": "ok", "issues": ["one", {"line": 2}, null, " "], "suggestions": "shorter", "score": 7}`)
	require.NoError(t, err)
	require.Equal(t, team.Verdict{Approved: true, Summary: "ok", Issues: []string{"one", `{"line": 2}`}, Suggestions: []string{"shorter"}}, v)
	v, err = team.ParseVerdict(`{"approved": false, "summary": 3, "issues": null}`)
	require.NoError(t, err)
	require.Equal(t, team.Verdict{Summary: "3"}, v)
}

// TEAM-09: no reply without a JSON true is ever an approval.
func FuzzParseVerdict(f *testing.F) {
	for _, seed := range []string{
		`{"approved": true}`, "```json\n{\"approved\": true}\n```", `{"approved": "true"}`, `{"approved": false, "approved": true}`,
		"approved", `{"approved": true} {"approved": false}`, `{"issues": [{"approved": true}]}`, "```", "{", "\x00", `{"approved":true,"x":"\ud800"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		v, err := team.ParseVerdict(reply)
		if err != nil {
			require.ErrorIs(t, err, team.ErrNoVerdict)
			require.Equal(t, team.Verdict{}, v)
			return
		}
		// Another reader, by another way, finds the boolean in the one object.
		open, shut := strings.Index(reply, "{"), strings.LastIndex(reply, "}")
		require.True(t, open >= 0 && shut > open)
		var whole map[string]any
		require.NoError(t, json.Unmarshal([]byte(reply[open:shut+1]), &whole))
		require.Equal(t, v.Approved, whole["approved"])
		require.Empty(t, strings.Trim(reply[shut+1:], "` \t\r\n\v\f\u0085\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\u1680"))
		if v.Approved {
			require.Contains(t, reply, "true")
		}
	})
}
