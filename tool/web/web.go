// Package web lets an agent read the web.
//
// [Web] fetches pages (fetch_url) and asks a search function of the host
// (web_search). What comes back is data from outside: it is bounded, and it is
// wrapped so that a model can tell it from instructions. Machines that are not
// on the public internet are refused when they are dialed, so neither a name,
// nor a redirect, nor a spelling of an address leads to them.
package web

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/triad-go/triad/tool"
)

// Defaults of a [Web].
const (
	DefaultMaxBytes  = 2 << 20
	DefaultMaxText   = 64 << 10
	DefaultTimeout   = 30 * time.Second
	DefaultUserAgent = "triad (+https://github.com/triad-go/triad)"
)

// MaxRedirects is how many redirects of one fetch are followed.
const MaxRedirects = 10

// A Web is what an agent may read of the web. The zero Web reads all public
// pages. It sends no cookies, no credentials and no referrer, uses no proxy,
// and keeps no connection open. A negative bound is a fault that registration
// reports. Do not change it while its tools are in use.
type Web struct {
	MaxBytes int           // of a body that are read, after decompression; 0 is [DefaultMaxBytes]
	MaxText  int           // bytes of text that the model is told; 0 is [DefaultMaxText]
	Timeout  time.Duration // of a call, all in all; 0 is [DefaultTimeout]

	// Allow names addresses that may be reached although they are not public,
	// on every port, such as 127.0.0.1/32 or a company's own network. Without
	// it, addresses of this machine, private, link-local, multicast, metadata
	// and otherwise special ones are refused, in all their spellings.
	Allow []netip.Prefix

	// Ports are those that public machines may be reached on; nil is 80 and 443.
	Ports []uint16

	Resolver  *net.Resolver // looks names up; nil is [net.DefaultResolver]
	UserAgent string        // tells servers who asks; empty is [DefaultUserAgent]
	Texts     Texts         // the words of a result beside the content
}

// fetchArguments are those of fetch_url.
type fetchArguments struct {
	URL string `json:"url" jsonschema:"minLength=1,description=An absolute http or https URL"`
}

// Fetch returns the tool fetch_url, which is read-only. A page comes as text:
// HTML as Markdown without scripts and styles, other text as it is, and what is
// no text is described. A status other than 2xx is a result of outcome
// [tool.Failed] that has the page's text too.
func (w Web) Fetch() tool.Tool {
	client := w.client()
	fetch := func(ctx context.Context, in fetchArguments) (tool.Result, error) {
		p, err := w.get(ctx, client, in.URL)
		if err != nil {
			return tool.Result{}, fmt.Errorf("web: %w", err)
		}
		return w.result(p), nil
	}
	return w.bounded(tool.New("fetch_url", fetchDescription, fetch, tool.ReadOnly))
}

// client returns a client that follows only what may be followed.
func (w Web) client() *http.Client {
	dialer := &net.Dialer{Control: w.guard(), Resolver: w.Resolver}
	return &http.Client{
		CheckRedirect: follow,
		Transport: &http.Transport{ // no Proxy: it would be dialed in place of the page
			DialContext:            dialer.DialContext,
			ForceAttemptHTTP2:      true,
			DisableKeepAlives:      true,
			MaxResponseHeaderBytes: 64 << 10,
		},
	}
}

// bounded gives a tool what both have: a time limit, the wrapping, and a cap
// above w.MaxText, with room for what is said of the text. A negative bound of w
// becomes one of the tool, which registration refuses.
func (w Web) bounded(t tool.Tool) tool.Tool {
	t.Limit, t.Untrusted = cmp.Or(w.Timeout, DefaultTimeout), true
	if t.MaxText = min(0, w.MaxText, w.MaxBytes); t.MaxText == 0 {
		t.MaxText = tool.DefaultMaxText + min(w.maxText(), math.MaxInt-tool.DefaultMaxText)
	}
	return t
}

func (w Web) maxText() int { return cmp.Or(max(0, w.MaxText), DefaultMaxText) }
