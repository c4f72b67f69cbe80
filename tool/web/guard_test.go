package web_test

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/web"
)

const refusal = "this address may not be reached"

// port returns the port of a URL.
func port(t *testing.T, raw string) uint16 {
	t.Helper()
	u, err := url.Parse(raw)
	require.NoError(t, err)
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	require.NoError(t, err)
	return uint16(n)
}

// TOOL-41: this machine is refused in every spelling, and nothing is asked of it.
func TestOwnMachineIsRefused(t *testing.T) {
	var hits atomic.Int32
	s := serve(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	p := port(t, s.URL)
	w := web.Web{Ports: []uint16{p}}
	for _, host := range []string{
		"127.0.0.1", "127.0.0.2", "localhost", "LOCALHOST", "0.0.0.0", "[::1]", "[::]",
		"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:0001]", "[::127.0.0.1]",
		"[64:ff9b::7f00:1]", "[2002:7f00:1::]",
	} {
		t.Run("TOOL-41 "+host, func(t *testing.T) {
			text, outcome := fetch(t, w, "http://"+host+":"+strconv.Itoa(int(p))+"/")
			require.Equal(t, tool.Failed, outcome)
			require.Contains(t, text, refusal)
		})
	}
	// Whether these spellings are addresses is the resolver's matter. They must not lead here.
	for _, host := range []string{"2130706433", "017700000001", "0177.0.0.1", "0x7f.0.0.1", "0x7f000001", "127.1"} {
		t.Run("TOOL-41 "+host, func(t *testing.T) {
			_, outcome := fetch(t, w, "http://"+host+":"+strconv.Itoa(int(p))+"/")
			require.Equal(t, tool.Failed, outcome)
		})
	}
	require.Zero(t, hits.Load())
	_, outcome := fetch(t, web.Web{Allow: local}, s.URL)
	require.Equal(t, tool.OK, outcome, "allowed, on any port")
	require.EqualValues(t, 1, hits.Load())
}

// TOOL-41: private networks and metadata services are refused.
func TestPrivateAddressesAreRefused(t *testing.T) {
	for _, host := range []string{
		"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.100.100.200", "169.254.169.254",
		"168.63.129.16", "192.0.0.192", "198.18.0.1", "224.0.0.1", "255.255.255.255", "0.1.2.3",
		"[fe80::1]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]", "[::ffff:169.254.169.254]", "[::ffff:a00:1]", "[2001:db8::1]",
	} {
		t.Run("TOOL-41 "+host, func(t *testing.T) {
			text, outcome := fetch(t, web.Web{Allow: local}, "http://"+host+"/")
			require.Equal(t, tool.Failed, outcome)
			require.Contains(t, text, refusal)
		})
	}
	text, outcome := fetch(t, web.Web{}, "http://203.0.114.1:25/")
	require.Equal(t, tool.Failed, outcome)
	require.Contains(t, text, refusal, "a public address on a port that is not allowed")
}

// TOOL-41: a redirect leads to no private address, other scheme or credentials.
func TestRedirectsAreRefused(t *testing.T) {
	for target, want := range map[string]string{
		"http://169.254.169.254/latest/meta-data/": refusal,
		"http://10.1.2.3/":                         refusal,
		"http://[::ffff:10.1.2.3]/":                refusal,
		"http://127.0.0.2/":                        refusal,
		"file:///etc/passwd":                       "want http:// or https://",
		"ftp://127.0.0.1/":                         "want http:// or https://",
		"http://user:secret@127.0.0.1/":            "holds a user name or password",
		"/again":                                   "stopped after 10 redirects",
	} {
		t.Run("TOOL-41 "+target, func(t *testing.T) {
			var hits atomic.Int32
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				hits.Add(1)
				http.Redirect(w, r, target, http.StatusFound)
			})
			text, outcome := fetch(t, web.Web{Allow: local}, s.URL)
			require.Equal(t, tool.Failed, outcome)
			require.Contains(t, text, want)
			require.NotContains(t, text, "secret")
			if target == "/again" {
				require.EqualValues(t, web.MaxRedirects+1, hits.Load())
			}
		})
	}
}

// A redirect that may be followed tells the next server nothing of the first.
func TestRedirectsCarryNothing(t *testing.T) {
	var got http.Header
	second := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		content("text/plain", "arrived")(w, r)
	})
	first := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "1"})
		http.Redirect(w, r, second.URL+"/end", http.StatusMovedPermanently)
	})
	text, outcome := fetch(t, web.Web{Allow: local, UserAgent: "reader/1"}, first.URL+"/?token=private")
	require.Equal(t, tool.OK, outcome)
	require.True(t, strings.HasPrefix(text, "URL: "+second.URL+"/end\n"), text)
	require.Equal(t, "reader/1", got.Get("User-Agent"))
	for _, name := range []string{"Referer", "Cookie", "Authorization"} {
		require.Empty(t, got.Get(name))
	}
}

// URLs that are refused before anything is dialed.
func TestURLs(t *testing.T) {
	for raw, want := range map[string]string{
		"example.com/page":          "want http:// or https://",
		"file:///etc/passwd":        "want http:// or https://",
		"javascript:alert(1)":       "want http:// or https://",
		"gopher://example.com":      "want http:// or https://",
		"http://":                   "names no host",
		"http:///path":              "names no host",
		"https://me:pw@example.com": "holds a user name or password",
		"http://exa mple.com":       "invalid character",
		"http://[::1":               "missing ']'",
		"":                          "want http:// or https://",
	} {
		text, outcome := fetch(t, web.Web{}, raw)
		require.Equal(t, tool.Failed, outcome, raw)
		require.Contains(t, text, want, raw)
	}
}

// TOOL-41: a public name whose answer is a private address leads nowhere.
func TestNamesAreCheckedWhereTheyLead(t *testing.T) {
	var hits atomic.Int32
	s := serve(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	p := port(t, s.URL)
	for name, answer := range map[string]string{
		"loopback": "127.0.0.1", "private": "192.168.0.10", "metadata": "169.254.169.254",
		"mapped": "::ffff:127.0.0.1", "loopback of IPv6": "::1", "local of IPv6": "fd00::1",
	} {
		t.Run("TOOL-41 "+name, func(t *testing.T) {
			w := web.Web{Ports: []uint16{p}, Resolver: resolver(t, netip.MustParseAddr(answer))}
			text, outcome := fetch(t, w, "http://public.example:"+strconv.Itoa(int(p))+"/")
			require.Equal(t, tool.Failed, outcome)
			require.Contains(t, text, refusal)
		})
	}
	require.Zero(t, hits.Load())
	w := web.Web{Allow: local, Resolver: resolver(t, netip.MustParseAddr("127.0.0.1"))}
	_, outcome := fetch(t, w, "http://public.example:"+strconv.Itoa(int(p))+"/")
	require.Equal(t, tool.OK, outcome)
	require.EqualValues(t, 1, hits.Load(), "the same way works when it is allowed")
}

// resolver answers every name with addr, by a name server on 127.0.0.1.
func resolver(t *testing.T, addr netip.Addr) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		b := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(b)
			if err != nil {
				return
			}
			if reply, err := answerTo(b[:n], addr); err == nil {
				_, _ = server.WriteTo(reply, from)
			}
		}
	}()
	t.Cleanup(func() { server.Close(); <-done })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func answerTo(query []byte, addr netip.Addr) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil {
		return nil, err
	}
	m.Response, m.Additionals = true, nil
	q := m.Questions[0]
	header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1}
	switch {
	case q.Type == dnsmessage.TypeA && addr.Is4():
		m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}}}
	case q.Type == dnsmessage.TypeAAAA && addr.Is6():
		m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}}}
	}
	return m.Pack()
}
