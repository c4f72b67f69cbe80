// Package llm is the seam to a language model: messages go in, a stream of
// chunks comes out and ends in one reply.
//
// Everything here is a value or an interface of one method. [Client] is what a
// host brings; [Retry], [Fallback], [Limit], [Record] and [Replay] are clients
// around clients. Nothing in this package names a provider: what differs
// between providers is data, a [Dialect].
//
// The package imports the standard library only.
package llm
