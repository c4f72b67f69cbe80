// Package openai is a client for every server that speaks the OpenAI
// chat-completions protocol.
//
//	client := openai.New("gpt-5-mini") // OPENAI_API_KEY, OPENAI_BASE_URL
//	reply, err := llm.Generate(ctx, client, llm.Request{Messages: []llm.Message{llm.UserText("Hi")}})
//
// What differs between providers is a [llm.Dialect], found by [DialectFor] from
// the base URL and the model. Requests go out through the transport of the
// official SDK; streams are read by this package's own reader, which knows the
// forms in which real providers send them.
//
// A stream is whole when it ended with the done marker or with a finish label.
// All else is an error: half an answer is never taken for one, and a call that
// was cut off is never mended.
package openai

import (
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/triad-go/triad/llm"
)

// The limits that hold where a [Client] says nothing else.
const (
	DefaultBaseURL        = "https://api.openai.com/v1"
	DefaultConnectTimeout = 60 * time.Second
	DefaultSilence        = 300 * time.Second
)

// A Client asks one model. It implements [llm.Client] and [llm.Speaker], keeps
// nothing open between requests but the connections of its HTTP client, and may
// be used by many goroutines at once. Its fields are set before it is used, and
// it is not copied after that.
//
// Beside its fields nothing is read: no variable of the environment, no file.
type Client struct {
	Model string

	// BaseURL is what comes before /chat/completions; empty means
	// [DefaultBaseURL]. Its query, if it has one, is sent with every request.
	//
	// A host of Azure gets the key in the header api-key. There the URL is that
	// of a deployment (…/openai/deployments/NAME), of the v1 API (…/openai/v1),
	// or of the resource alone, which means the v1 API.
	BaseURL string `json:"-"`

	// Key is sent as a bearer token. The official API is not asked without one;
	// to other servers nothing is sent where it is empty.
	Key string `json:"-"`

	// Speaks overrides the dialect; nil means DialectFor(BaseURL, Model).
	Speaks *llm.Dialect

	// HTTP makes the connections; nil means [http.DefaultClient]. Redirects are
	// not followed unless it has a CheckRedirect of its own.
	HTTP *http.Client `json:"-"`

	// ConnectTimeout bounds the way to a connection, Silence the time in which
	// nothing comes, be it before the first byte or between two; comments on
	// the stream count as life. 0 means the defaults, 60 and 300 seconds. There
	// is no limit on a whole request: that is the context's.
	ConnectTimeout time.Duration
	Silence        time.Duration

	// APIVersion is the api-version for Azure, where BaseURL does not name one.
	APIVersion string

	// Header is sent with every request, and Extra are further members of its
	// body, encoded as JSON. They override what the client would send.
	Header http.Header    `json:"-"`
	Extra  map[string]any `json:"-"`

	// NewID names the calls that came without an id; nil means random ids.
	NewID func() string `json:"-"`

	encoder encoder
	off     rejected
}

// New returns a client for model, or for $OPENAI_MODEL if model is empty, with
// the key from $OPENAI_API_KEY and the base URL from $OPENAI_BASE_URL. Other
// variables, such as those for organizations, are not read: they would go to
// whatever server the base URL names. What is missing is reported by the first
// request.
func New(model string) *Client {
	env := func(name string) string { return strings.TrimSpace(os.Getenv(name)) }
	if model == "" {
		model = env("OPENAI_MODEL")
	}
	return &Client{Model: model, BaseURL: env("OPENAI_BASE_URL"), Key: env("OPENAI_API_KEY")}
}

// Dialect implements [llm.Speaker].
func (c *Client) Dialect() llm.Dialect {
	if c.Speaks != nil {
		return *c.Speaks
	}
	return DialectFor(c.BaseURL, c.Model)
}

// String names the model and the host. A client's key stands in no print of it.
func (c *Client) String() string {
	host := c.BaseURL
	if e, err := c.endpoint(); err == nil {
		host = e.url.Host
	}
	return "openai(" + c.Model + " at " + host + ")"
}

// GoString implements [fmt.GoStringer], for the same reason.
func (c *Client) GoString() string { return c.String() }

func orDefault(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}
