package outbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"syscall"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	webhookTimeout   = 20 * time.Second // from the dial to the end of the response (decisions.md 8)
	maxResponseBytes = 64 << 10         // limit for the header and for the body
	maxRetryAfter    = time.Hour
)

// webhookClients holds the HTTP clients for signed messages (Standard Webhooks). They use no proxy
// and follow no redirects.
type webhookClients struct {
	partners *http.Client // for any address, because the operator chose it
	public   *http.Client // for public addresses only
	private  *http.Client // for public and private addresses
}

// newWebhookClients returns the clients. replace is [Options.Transport].
func newWebhookClients(replace func(*http.Transport) http.RoundTripper) webhookClients {
	client := func(d net.Dialer, keepAlive bool) *http.Client {
		d.Timeout = 10 * time.Second
		transport := &http.Transport{
			DialContext: d.DialContext, Proxy: nil, DisableKeepAlives: !keepAlive, DisableCompression: true,
			MaxIdleConnsPerHost: partnerConcurrency, IdleConnTimeout: 10 * time.Second,
			TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: maxResponseBytes,
		}
		c := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		if replace != nil {
			c.Transport = replace(transport)
		}
		return c
	}
	return webhookClients{
		partners: client(net.Dialer{}, true),
		public:   client(net.Dialer{Control: DialControl(false)}, false),
		private:  client(net.Dialer{Control: DialControl(true)}, false),
	}
}

// webhookMessage is a message for one attempt. All attempts have the same id.
type webhookMessage struct {
	url    string
	secret []byte
	id     string
	sentAt time.Time // of this attempt; signed
	body   []byte
}

// statusError is a response with a status other than 2xx.
type statusError struct {
	status     int
	retryAfter time.Duration // Retry-After
}

// Error names the status.
func (e *statusError) Error() string {
	if e.status/100 == 3 {
		return fmt.Sprintf("HTTP %d: redirects are not followed", e.status)
	}
	return fmt.Sprintf("HTTP %d %s", e.status, http.StatusText(e.status))
}

// postWebhook signs and posts a message. A response other than 2xx is a
// *statusError. No error contains the URL, which may hold a secret.
func postWebhook(ctx context.Context, c *http.Client, m webhookMessage) error {
	req, err := m.request(ctx)
	if err != nil {
		return err
	}
	res, err := c.Do(req)
	if err != nil {
		if at, ok := errors.AsType[*url.Error](err); ok {
			err = at.Err
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = errors.New("no answer in time")
		}
		return withoutHost(err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxResponseBytes)) // only the status matters
	if res.StatusCode/100 == 2 {
		return nil
	}
	return &statusError{status: res.StatusCode, retryAfter: retryAfter(res.Header.Get("Retry-After"), m.sentAt)}
}

func (m webhookMessage) request(ctx context.Context) (*http.Request, error) {
	w, err := webhooks.NewWebhookRaw(m.secret)
	if err != nil {
		return nil, err
	}
	signature, err := w.Sign(m.id, m.sentAt, m.body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(m.body))
	if err != nil {
		return nil, errors.New("the URL is not one")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "ativa")
	req.Header.Set(webhooks.HeaderWebhookID, m.id)
	req.Header.Set(webhooks.HeaderWebhookTimestamp, strconv.FormatInt(m.sentAt.Unix(), 10))
	req.Header.Set(webhooks.HeaderWebhookSignature, signature)
	return req, nil
}

// retryAfter parses the value of Retry-After, seconds or a date, and returns a delay of at most
// maxRetryAfter, or 0 if there is none.
func retryAfter(header string, now time.Time) time.Duration {
	wait := time.Duration(0)
	if n, err := strconv.Atoi(header); err == nil {
		wait = time.Duration(min(n, int(maxRetryAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}

// DialControl returns a Control function for a [net.Dialer] that refuses every address except
// public ones. It checks the address that is dialled, after name resolution, so a name that
// resolves differently the second time cannot bypass it. With allowPrivate, addresses of private
// networks and of this machine are permitted too. Link-local (cloud metadata), multicast and
// reserved addresses, and those that embed another address, are always refused.
func DialControl(allowPrivate bool) func(network, address string, _ syscall.RawConn) error {
	return func(network, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || network != "tcp4" && network != "tcp6" {
			return fmt.Errorf("address of the network %s is refused", network)
		}
		ip := to.Addr()
		if ip.Zone() == "" && (isPublic(ip.Unmap()) || allowPrivate && isPrivate(ip.Unmap())) {
			return nil
		}
		return fmt.Errorf("address %s is not public", ip)
	}
}

// isPublic reports whether an address belongs to the public internet. NAT64 (64:ff9b::/96), mapped,
// compatible, local and multicast addresses lie outside 2000::/3.
func isPublic(ip netip.Addr) bool {
	return (ip.Is4() || inAny(ip, "2000::/3")) && !inAny(ip,
		// The special-purpose ranges of the IANA registry, and multicast.
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16",
		"192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		// Those of 2000::/3: protocols and Teredo, documentation, 6to4.
		"2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
}

// isPrivate reports whether an address belongs to this machine or to a private network.
func isPrivate(ip netip.Addr) bool {
	return ip.IsLoopback() || ip.IsPrivate() || inAny(ip, "100.64.0.0/10")
}

func inAny(ip netip.Addr, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return netip.MustParsePrefix(p).Contains(ip) })
}
