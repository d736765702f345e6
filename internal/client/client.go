package client

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpguts"

	"ativa/internal/api"
	"ativa/internal/failure"
	"ativa/internal/lang"
)

// Options are the settings of a client. Only Server is required.
type Options struct {
	Server    string      // base URL, with or without /api at its end
	Tokens    TokenSource // nil: only Authenticate and calls without a token work
	UserAgent string      // sent with every request
	// Headers are sent with every request. [CheckHeader] takes each.
	Headers map[string]string
	// ResendProduct means that a server without ExtResendProduct accepts the member
	// product_id in a resend.
	ResendProduct bool

	AllowHTTP         bool   // permits plain http to other hosts than this machine
	CAFile            string // PEM file of authorities that are trusted instead of the system's
	CertFile, KeyFile string // PEM files of a client certificate
	Proxy             string // URL of a proxy; empty means HTTPS_PROXY and NO_PROXY
	// Transport replaces the network in tests: it returns the round tripper to use in place of
	// the transport, which it may change. Nil means the transport.
	Transport func(*http.Transport) http.RoundTripper

	ConnectTimeout time.Duration // of the dial and the TLS handshake, each; 10 s if zero
	// IdleTimeout limits the wait for the header of a response and for the next
	// few KiB of its body; 55 s if zero, so that two attempts fit into the
	// default Timeout. It is at most Timeout.
	IdleTimeout time.Duration
	// Timeout limits one call with all its attempts, from the first dial to the last
	// byte; 2 min if zero. The body of a streamed list has only IdleTimeout.
	Timeout time.Duration
	Retry   RetryPolicy // how often a failed request is retried
	MaxBody int64       // of a response that is not streamed, in bytes after decompression; 64 MiB if zero

	Trace   func(line string)                     // called for each request, response and retry, one at a time; may be nil
	OnRetry func(wait time.Duration, cause error) // called before the wait for each retry; may be nil
}

// Client calls one server. It is safe for concurrent use.
type Client struct {
	base       *url.URL
	tokens     TokenSource
	http       *http.Client
	proxy      func(*http.Request) (*url.URL, error) // returns the proxy of a request, nil for none
	options    Options
	trace      func(format string, args ...any)
	extensions extensions
	answered   atomic.Bool // a response arrived, with any status
	offset     atomic.Int64
}

// ClockOffset returns how far the server's clock is ahead of this machine's, from the Date of the
// latest response; 0 if both may be equal.
func (c *Client) ClockOffset() time.Duration { return time.Duration(c.offset.Load()) }

// noteDate compares the Date of a response, which counts whole seconds, with the time between
// request and response.
func (c *Client) noteDate(date string, began, ended time.Time) {
	from, err := http.ParseTime(date)
	if err != nil {
		return
	}
	switch to := from.Add(time.Second); {
	case from.After(ended):
		c.offset.Store(int64(from.Sub(ended)))
	case to.Before(began):
		c.offset.Store(int64(to.Sub(began)))
	default:
		c.offset.Store(0)
	}
}

// wrongOption returns the usage error of an option. Nothing was sent.
func wrongOption(option, reason lang.Message, err error) error {
	wrong := failure.Usage("%s: %s", option, reason).WithHint("`ativa config list` shows what is set, and where that comes from")
	wrong.Err = err
	return wrong
}

// New returns a client of the server that the options name. It reads the
// certificate files and sends nothing. Its errors are usage errors.
func New(o Options) (*Client, error) {
	o = withDefaults(o)
	base, err := parseServer(o.Server, o.AllowHTTP)
	if err != nil {
		return nil, err
	}
	transport, err := newTransport(o, base)
	if err != nil {
		return nil, err
	}
	var sender http.RoundTripper = transport
	if o.Transport != nil {
		sender = o.Transport(transport)
	}
	return &Client{
		base:    base,
		proxy:   transport.Proxy,
		tokens:  o.Tokens,
		options: o,
		trace:   newTracer(o.Trace),
		http: &http.Client{
			Transport: sender,
			// A redirect would send the body, and with it the access token,
			// to a host that the user did not choose.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Close closes the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

func withDefaults(o Options) Options {
	o.Timeout = cmp.Or(o.Timeout, 2*time.Minute)
	o.ConnectTimeout = cmp.Or(o.ConnectTimeout, 10*time.Second)
	o.IdleTimeout = min(cmp.Or(o.IdleTimeout, 55*time.Second), o.Timeout)
	o.Retry = o.Retry.withDefaults()
	o.MaxBody, o.UserAgent = cmp.Or(o.MaxBody, 64<<20), cmp.Or(o.UserAgent, "ativa")
	return o
}

// CheckServer checks a base URL as [New] does; insecure permits plain http to another
// machine. The error is a usage error.
func CheckServer(server string, insecure bool) error {
	_, err := parseServer(server, insecure)
	return err
}

// CheckHeader returns what is wrong with a header for every call, or an empty message. It refuses
// headers that the client or the connection sets itself.
func CheckHeader(name, value string) lang.Message {
	ours := []string{"Accept", "Accept-Encoding", "Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect", "Host", api.HeaderIdempotencyKey,
		"Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent", "X-" + api.HeaderIdempotencyKey}
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return lang.Msg("%q is not the name of a header", name)
	case slices.Contains(ours, http.CanonicalHeaderKey(name)):
		return lang.Msg("%s is set by ativa itself", name)
	case value == "" || !httpguts.ValidHeaderFieldValue(value):
		return lang.Msg("%s has no valid value", name)
	}
	return lang.Message{}
}

// parseServer parses and checks a base URL. Its errors never contain the URL,
// which may hold a password.
func parseServer(server string, allowHTTP bool) (*url.URL, error) {
	wrong := func(reason lang.Message) (*url.URL, error) { return nil, wrongOption(lang.Msg("server"), reason, nil) }
	u, err := url.Parse(strings.TrimSuffix(server, "/"))
	switch {
	case server == "":
		return wrong(lang.Msg("no server is set"))
	case err != nil || u.Hostname() == "" || u.Opaque != "":
		return wrong(lang.Msg("not a URL like https://host"))
	case u.Scheme != "https" && u.Scheme != "http":
		return wrong(lang.Msg("the URL must start with https:// or http://"))
	case u.User != nil:
		return wrong(lang.Msg("a URL must not hold a user name or password"))
	case u.RawQuery != "" || u.Fragment != "":
		return wrong(lang.Msg("a base URL has no query and no fragment"))
	case u.Scheme == "http" && !allowHTTP && !IsLoopback(u.Hostname()):
		return wrong(lang.Msg("plain http would send the token unprotected; use https"))
	}
	return u, nil
}

// IsLoopback reports whether a host name or address is that of this machine, to
// which plain http is permitted.
func IsLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

// extensions are the extensions of api.md that the server has announced. Only a
// response that names them counts, because a proxy may respond instead.
type extensions struct {
	names   atomic.Pointer[[]string]
	checked atomic.Bool // set after the server has responded without naming any
}

func (x *extensions) record(h http.Header) {
	value := h.Get(api.HeaderExtensions)
	if value == "" || x.names.Load() != nil {
		return
	}
	names := strings.Split(value, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	x.names.CompareAndSwap(nil, &names)
}

func (x *extensions) has(name string) bool {
	names := x.names.Load()
	return names != nil && slices.Contains(*names, name)
}

// HasExtension reports whether the server has the extension, one of the Ext names of package api.
// If no response has named any yet, it requests the statuses, which are the smallest list.
// A context may state that another server has ExtResendProduct.
func (c *Client) HasExtension(ctx context.Context, extension string) (bool, error) {
	if extension == api.ExtResendProduct && c.options.ResendProduct {
		return true, nil
	}
	if c.extensions.names.Load() == nil && !c.extensions.checked.Load() {
		if _, err := c.Statuses(ctx); err != nil {
			return false, err
		}
		c.extensions.checked.Store(true)
	}
	return c.extensions.has(extension), nil
}
