package delivery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	webhookTimeout   = 20 * time.Second // from the dial to the end of the response (decisions.md 8)
	maxResponseBytes = 64 << 10         // read of the header and of the body each
	maxRetryAfter    = time.Hour
)

// webhookClients are the HTTP clients for signed messages (Standard Webhooks).
// They use no proxy and follow no redirect.
type webhookClients struct {
	partners *http.Client // any address, because the operator chose it
	public   *http.Client // addresses only
	private  *http.Client // public and private addresses
}

func newWebhookClients(dial func(context.Context, string, string) (net.Conn, error)) webhookClients {
	dialWith := func(d *net.Dialer) func(context.Context, string, string) (net.Conn, error) {
		if dial != nil {
			return dial
		}
		d.Timeout = 10 * time.Second
		return d.DialContext
	}
	return webhookClients{
		partners: newWebhookClient(dialWith(&net.Dialer{}), true),
		public:   newWebhookClient(dialWith(&net.Dialer{Control: DialControl(false)}), false),
		private:  newWebhookClient(dialWith(&net.Dialer{Control: DialControl(true)}), false),
	}
}

func newWebhookClient(dial func(context.Context, string, string) (net.Conn, error), keepAlive bool) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dial, Proxy: nil, DisableKeepAlives: !keepAlive, DisableCompression: true,
			MaxIdleConnsPerHost: partnerConcurrency, IdleConnTimeout: 10 * time.Second,
			TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: maxResponseBytes,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// webhookMessage is a message for one attempt. Every attempt has the same id.
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

// retryAfter parses the value of Retry-After, seconds or a date, into a wait of
// at most maxRetryAfter; 0 if there is none.
func retryAfter(header string, now time.Time) time.Duration {
	wait := time.Duration(0)
	if n, err := strconv.Atoi(header); err == nil {
		wait = time.Duration(min(n, int(maxRetryAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}
