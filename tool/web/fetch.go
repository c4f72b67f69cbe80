package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
)

// ErrURL is the error of a URL that is not fetched whatever it leads to.
var ErrURL = errors.New("this URL can't be fetched")

// A page is what a server answered, bounded.
type page struct {
	url       *url.URL // the last one, after all redirects
	status    string   // such as "404 Not Found"
	ok        bool     // the status is 2xx
	mediaType string   // as the server said it; may be empty
	encoding  string   // a compression that was not undone; usually empty
	size      int64    // as the server said it; -1 if it did not
	body      []byte
	cut       bool  // there was more than MaxBytes
	broken    error // why the body ended early
}

// get fetches a page.
func (w Web) get(ctx context.Context, client *http.Client, raw string) (page, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		return page{}, fmt.Errorf("%w: %w", ErrURL, err)
	}
	if err := allowed(u); err != nil {
		return page{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return page{}, fmt.Errorf("%w: %w", ErrURL, err)
	}
	request.Header.Set("User-Agent", cmp.Or(w.UserAgent, DefaultUserAgent))
	request.Header.Set("Accept", "text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.5")
	response, err := client.Do(request)
	if err != nil {
		return page{}, redacted(err)
	}
	defer response.Body.Close()
	p := page{
		url: response.Request.URL, status: response.Status, ok: response.StatusCode/100 == 2,
		mediaType: response.Header.Get("Content-Type"), encoding: response.Header.Get("Content-Encoding"),
		size: response.ContentLength,
	}
	most := cmp.Or(max(0, w.MaxBytes), DefaultMaxBytes)
	p.body, err = io.ReadAll(io.LimitReader(response.Body, int64(min(most, math.MaxInt-1))+1))
	if ctx.Err() != nil {
		return page{}, fmt.Errorf("reading %v: %w", p.url, context.Cause(ctx))
	}
	if p.cut = len(p.body) > most; p.cut {
		p.body = p.body[:most]
	}
	p.broken = err
	return p, nil
}

// allowed refuses what is not a plain web address.
func allowed(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%w: want http:// or https:// at its start", ErrURL)
	case u.Hostname() == "":
		return fmt.Errorf("%w: it names no host", ErrURL)
	case u.User != nil:
		return fmt.Errorf("%w: it holds a user name or password, which are never sent", ErrURL)
	}
	return nil
}

// follow decides about a redirect. What was asked before is not told to the
// next server.
func follow(next *http.Request, before []*http.Request) error {
	if len(before) > MaxRedirects {
		return fmt.Errorf("stopped after %d redirects", MaxRedirects)
	}
	next.Header.Del("Referer")
	return allowed(next.URL)
}

// redacted returns an error of a client, which names the URL, without a
// password that a redirect brought in.
func redacted(err error) error {
	if fault, ok := errors.AsType[*url.Error](err); ok {
		if u, parseErr := url.Parse(fault.URL); parseErr == nil {
			return &url.Error{Op: fault.Op, URL: u.Redacted(), Err: fault.Err}
		}
	}
	return err
}
