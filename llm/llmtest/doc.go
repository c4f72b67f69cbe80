// Package llmtest tests what is built on package llm, and clients themselves.
//
// [Script] and [ByHistory] stand in for a model: they answer from a script,
// keep a log of what they were asked, and look at no word of it.
//
//	client := llmtest.Script(
//		llmtest.Call("k1", "weather", `{"city":"Oslo"}`),
//		llmtest.Text("Take an umbrella."),
//	)
//
// [Validate] says whether providers would take a request, and [Strict] holds a
// client's callers to it. [TestClient] says whether a client keeps the contract
// of [llm.Client].
//
// Beside package llm it imports the standard library only.
package llmtest
