package tool_test

import (
	"context"
	"encoding/json"
	"reflect"
	"runtime"
	"strings"

	"github.com/triad-go/triad/tool"
)

// markers returns texts that are all the name of their field.
func markers() tool.Texts {
	var texts tool.Texts
	v := reflect.ValueOf(&texts).Elem()
	for i := range v.NumField() {
		if v.Field(i).Kind() == reflect.String {
			v.Field(i).SetString("#" + v.Type().Field(i).Name)
		}
	}
	texts.Faults = map[string]string{"": "#Faults"}
	return texts
}

// allKinds returns a tool for each text that a call can bring about.
func allKinds() []tool.Tool {
	returns := func(name string, r tool.Result, err error) tool.Tool {
		return plain(name, tool.ReadOnly, func(context.Context, tool.Call) (tool.Result, error) { return r, err })
	}
	outside, long, strict, keyless := returns("outside", tool.Text("x"), nil), says("long", strings.Repeat("x", 100)), says("strict", ""), says("keyless", "")
	outside.Untrusted = true
	long.MaxText = 50
	strict.Schema = json.RawMessage(`{"additionalProperties":false}`)
	keyless.Keys = func(json.RawMessage) tool.Keys { panic("p") }
	return []tool.Tool{
		says("asks", ""), says("refused", ""), says("judged", ""), says("empty", ""), says("binary", "\x00"), long, strict, keyless,
		outside, returns("pauses", tool.Result{}, &tool.Pause{Question: "?"}), returns("badly", tool.Result{}, &tool.Pause{}),
		plain("panics", tool.ReadOnly, func(context.Context, tool.Call) (tool.Result, error) { panic("p") }),
		plain("exits", tool.ReadOnly, func(context.Context, tool.Call) (tool.Result, error) {
			runtime.Goexit()
			return tool.Result{}, nil
		}),
	}
}
