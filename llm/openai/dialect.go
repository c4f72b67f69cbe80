package openai

import (
	"net/url"
	"strings"

	"github.com/triad-go/triad/llm"
)

// Dialects returns the dialects that this package knows, the last of them the
// strict one for servers that it does not. They suit each provider's current
// models; [DialectFor] also goes by the model.
func Dialects() []llm.Dialect {
	out := make([]llm.Dialect, len(providers))
	for i, p := range providers {
		out[i] = p.dialect
	}
	return out
}

// DialectNamed returns the dialect of that name, such as "deepseek".
func DialectNamed(name string) (llm.Dialect, bool) {
	for _, p := range providers {
		if p.dialect.Name == name {
			return p.dialect, true
		}
	}
	return llm.Dialect{}, false
}

// DialectFor returns the dialect of the server at baseURL, for a model there.
// Empty means the official API. The host decides how things are put on the
// wire; the model's family, which is looked for in the last part of its name,
// what the model can do. A server that is not known gets the strict dialect,
// with what is known of the model.
func DialectFor(baseURL, model string) llm.Dialect {
	p := providerAt(baseURL)
	d := p.dialect
	family, ok := familyOf(model)
	if !ok {
		return d
	}
	if family.window > 0 {
		d.Window = family.window
	}
	d.Images = family.images
	if p.serves || p.makes != "" && p.makes == family.maker {
		family.adjust(&d)
	}
	if p.gateway {
		family.pass(&d)
	}
	return d
}

// adjust sets the switches that belong to the model, where it is served as its
// maker serves it.
func (f family) adjust(d *llm.Dialect) {
	d.EchoReasoning = f.echo
	if d.Wire.Thinking == "" {
		d.Wire.Thinking = f.template
	}
	if f.ids != "" {
		d.Wire.IDs = f.ids
	}
}

// pass sets the switches that a gateway passes on to the model's maker.
func (f family) pass(d *llm.Dialect) {
	if f.ids != "" {
		d.Wire.IDs = f.ids
	}
	if f.marks {
		d.Wire.CacheMarks, d.Wire.ToolsForResults = true, "keep"
	}
}

// providerAt returns the provider at baseURL. Servers that are not known are
// each their own maker: what one of them sealed is not for another.
func providerAt(baseURL string) provider {
	if baseURL == "" {
		return providers[0]
	}
	unknown := providers[len(providers)-1]
	u, err := url.Parse(baseURL)
	if err == nil {
		unknown.dialect.Maker = strings.ToLower(u.Host)
		host := strings.ToLower(u.Hostname())
		for _, p := range providers {
			for _, h := range p.hosts {
				if host == h || strings.HasSuffix(host, "."+h) || h == ":"+u.Port() {
					return p
				}
			}
		}
	}
	return unknown
}

// familyOf returns the family of a model. Of names such as
// "moonshotai/Kimi-K2.5:free" only the last part counts, in any case.
func familyOf(model string) (family, bool) {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	name, _, _ = strings.Cut(name, ":")
	var best family
	for _, f := range families {
		if strings.HasPrefix(name, f.prefix) && len(f.prefix) > len(best.prefix) {
			best = f
		}
	}
	return best, best.prefix != ""
}
