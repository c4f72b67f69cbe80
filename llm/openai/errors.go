package openai

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/triad-go/triad/llm"
)

// maxWords is the most bytes of a provider's words that an error holds.
const maxWords = 1000

// fault returns an error of the client's own, before anything was asked.
func (c *Client) fault(kind llm.ErrorKind, message string) *llm.Error {
	return &llm.Error{Kind: kind, Client: c.name(), Message: message}
}

// name is what errors call the client: its provider, or the protocol where the
// provider is not known.
func (c *Client) name() string {
	strict := providers[len(providers)-1].dialect.Name
	if name := c.Dialect().Name; name != "" && name != strict {
		return name
	}
	return "openai"
}

// refusal returns the error of an answer with a status of failure.
func (c *Client) refusal(status int, header http.Header, body []byte) *llm.Error {
	v, ok := parse(body)
	said, found := complaintOf(v)
	if !ok || !found {
		said = complaint{message: c.excerpt(pageWords(body))}
		if said.message == "" {
			said.message = http.StatusText(status)
		}
	}
	if status >= 300 && status < 400 {
		said.message = "the server redirects elsewhere; set the base URL to where it points (" + http.StatusText(status) + ")"
	}
	said.status = status
	return c.told(said, header)
}

// told returns the error that a complaint amounts to.
func (c *Client) told(said complaint, header http.Header) *llm.Error {
	e := &llm.Error{
		Kind: said.class(said.status), Client: c.name(), Status: said.status,
		Code: said.code, Param: said.param, Message: said.message, RetryAfter: delay(header, said),
	}
	if e.Code == "" || e.Code == strconv.Itoa(said.status) {
		e.Code = said.kind
	}
	if e.Kind == llm.ErrContextLength {
		e.Window, e.Input = said.counts()
	}
	return c.clean(e)
}

// clean takes the client's secrets out of an error and bounds its words.
func (c *Client) clean(e *llm.Error) *llm.Error {
	scrub := c.scrub()
	e.Message = cut(scrub(strings.ToValidUTF8(e.Message, "\uFFFD")), maxWords)
	e.Code, e.Param, e.Partial = cut(scrub(e.Code), maxWords), cut(scrub(e.Param), maxWords), scrub(e.Partial)
	if e.Err != nil {
		if text := e.Err.Error(); scrub(text) != text {
			e.Err = errors.New(scrub(text)) // its chain may hold the secret too
		}
	}
	return e
}

// scrub returns a function that blanks the client's secrets out of a text.
func (c *Client) scrub() func(string) string {
	var pairs []string
	for _, secret := range c.secrets() {
		if secret == "" {
			continue
		}
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), strings.Trim(quote(secret), `"`)} {
			pairs = append(pairs, form, "[key]")
		}
	}
	return strings.NewReplacer(pairs...).Replace
}

// cut bounds a text at a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

var (
	pageTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
	pageNoise = regexp.MustCompile(`(?is)<(script|style|head)\b.*?</(script|style|head)>|<[^>]*>`)
)

// pageWords returns the words of an answer that is no JSON, such as the HTML
// page of a gateway: its title and its text.
func pageWords(body []byte) string {
	text := string(body)
	words := func(s string) string { return strings.Join(strings.Fields(pageNoise.ReplaceAllString(s, " ")), " ") }
	said := words(text)
	if m := pageTitle.FindStringSubmatch(text); m != nil {
		said = join(words(m[1]), said)
	}
	return said
}

// excerpt returns the start of what a server sent, on one line. Secrets go first, since a
// cut through one would leave a piece of it.
func (c *Client) excerpt(text string) string {
	const most = 300
	text = strings.Join(strings.Fields(c.scrub()(cut(text, maxErrorBody))), " ")
	return cut(text, most)
}

// errLimit is the cause of a request that ran into a limit of its own.
type errLimit struct{ what string }

func (e *errLimit) Error() string { return e.what }

// broken returns the error of a request whose answer could not be read. cause
// is why the request itself was ended, if it was.
func (c *Client) broken(caller context.Context, cause, err error) *llm.Error {
	e := &llm.Error{Kind: llm.ErrConnection, Client: c.name(), Err: err}
	if u, ok := errors.AsType[*url.Error](err); ok {
		e.Err = u.Err // the address may hold a key
	}
	limit, limited := errors.AsType[*errLimit](cause)
	timeout, timed := errors.AsType[net.Error](err)
	switch {
	case caller.Err() != nil:
		e.Kind, e.Message, e.Err = llm.ErrCanceled, "the context ended", caller.Err()
		if why := context.Cause(caller); why != caller.Err() {
			e.Err = fmt.Errorf("%w: %w", caller.Err(), why)
		}
		return c.clean(e)
	case limited:
		e.Kind, e.Message, e.Err = llm.ErrTimeout, limit.what, nil
	case errors.Is(err, errTooLong):
		e.Kind = llm.ErrMalformed
	case timed && timeout.Timeout():
		e.Kind = llm.ErrTimeout
	}
	if e.Message == "" {
		e.Message = "reading the answer"
	}
	return c.clean(e)
}
