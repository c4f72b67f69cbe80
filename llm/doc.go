// Package llm is the seam to a language model: messages go in, a stream of
// chunks comes out and ends in one reply.
//
// Everything here is a value or an interface of one method. [Client] is what a
// host brings. [Retry], [Fallback], [Limit], [Record] and [Replay] are clients
// around clients; they go well together in this order, outermost first:
//
//	&llm.Fallback{Clients: []llm.Named{
//		{Name: "main", Client: &llm.Retry{Client: &llm.Limit{Client: main, AtOnce: 4}}},
//		{Name: "spare", Client: &llm.Retry{Client: spare}},
//	}}
//
// [Decode] reads a reply as a value of a Go type, and an [Asker] asks again
// where it is none. Nothing in this package names a provider: what differs
// between providers is data, a [Dialect].
//
// The package imports the standard library only.
package llm
