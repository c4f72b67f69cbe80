package openai

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3/option"

	"github.com/triad-go/triad/llm"
)

// defaultAPIVersion goes to the deployments of Azure where no other is named.
const defaultAPIVersion = "2024-10-21"

// An endpoint is where requests go, and with what rights.
type endpoint struct {
	url   *url.URL // of the base; no query
	query url.Values
	azure bool
}

// endpoint reads the base URL. Its errors never hold the URL, which may hold
// a key.
func (c *Client) endpoint() (endpoint, error) {
	base := c.BaseURL
	if base == "" {
		base = DefaultBaseURL
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return endpoint{}, c.fault(llm.ErrBadRequest, "the base URL is not one of http or https, such as "+DefaultBaseURL)
	}
	e := endpoint{url: u, query: u.Query(), azure: isAzure(u.Hostname())}
	u.RawQuery, u.Fragment = "", ""
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions")
	u.RawPath = ""
	if e.azure {
		c.azure(&e)
	}
	return e, nil
}

// azure fills in what Azure wants named.
func (c *Client) azure(e *endpoint) {
	if e.url.Path == "" || e.url.Path == "/openai" {
		e.url.Path = "/openai/v1"
	}
	switch {
	case e.query.Has("api-version"):
	case c.APIVersion != "":
		e.query.Set("api-version", c.APIVersion)
	case !strings.HasSuffix(e.url.Path, "/v1"):
		e.query.Set("api-version", defaultAPIVersion)
	}
}

func isAzure(host string) bool {
	for _, domain := range []string{".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com", ".models.ai.azure.com"} {
		if strings.HasSuffix(strings.ToLower(host), domain) {
			return true
		}
	}
	return false
}

func isOfficial(host string) bool {
	host = strings.ToLower(host)
	return host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com")
}

// options are the SDK's for one request: where it goes and as whom.
func (c *Client) options() ([]option.RequestOption, error) {
	e, err := c.endpoint()
	if err != nil {
		return nil, err
	}
	options := []option.RequestOption{option.WithBaseURL(e.url.String()), option.WithMaxRetries(0), option.WithHTTPClient(c.http())}
	for name := range e.query {
		options = append(options, option.WithQuery(name, e.query.Get(name)))
	}
	switch {
	case c.Key == "" && isOfficial(e.url.Hostname()) && c.Header.Get("Authorization") == "":
		return nil, c.fault(llm.ErrAuth, "no key: set OPENAI_API_KEY or the client's Key, or a base URL of a server that wants none")
	case strings.ContainsFunc(c.Key, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return nil, c.fault(llm.ErrAuth, "the key holds a line end or another control character")
	case c.Key == "":
	case e.azure:
		options = append(options, option.WithHeader("Api-Key", c.Key))
	default:
		options = append(options, option.WithAPIKey(c.Key))
	}
	for name, values := range c.Header {
		options = append(options, option.WithHeaderDel(name))
		for _, v := range values {
			options = append(options, option.WithHeaderAdd(name, v))
		}
	}
	return options, nil
}

// http returns the client that makes the connections. A redirect comes back as
// an answer: following one would turn the request into a GET, or send it and
// its key elsewhere.
func (c *Client) http() *http.Client {
	client := http.DefaultClient
	if c.HTTP != nil {
		client = c.HTTP
	}
	if client.CheckRedirect != nil {
		return client
	}
	still := *client
	still.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &still
}

// secrets returns what must stand in no error.
func (c *Client) secrets() []string {
	secrets := []string{c.Key}
	for _, values := range c.Header {
		for _, v := range values {
			secrets = append(secrets, strings.TrimPrefix(v, "Bearer "))
		}
	}
	if u, err := url.Parse(c.BaseURL); err == nil {
		if password, ok := u.User.Password(); ok {
			secrets = append(secrets, password)
		}
		for name, values := range u.Query() {
			if name != "api-version" {
				secrets = append(secrets, values...)
			}
		}
	}
	return secrets
}
