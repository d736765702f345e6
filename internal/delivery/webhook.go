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
	webhookTimeout   = 20 * time.Second // for the whole exchange (decisions.md 8)
	maxResponseBytes = 64 << 10         // bytes of an answer that are read, header and body each
	maxRetryAfter    = time.Hour
)

// webhookClients posts signed messages (Standard Webhooks). It uses no proxy and
// follows no redirect.
type webhookClients struct {
	partners *http.Client // to whatever address the operator chose
	public   *http.Client // to public addresses only
	private  *http.Client // to private ones too
}

func newWebhookClients(dial func(context.Context, string, string) (net.Conn, error)) webhookClients {
	connect := func(guard *net.Dialer) func(context.Context, string, string) (net.Conn, error) {
		if dial != nil {
			return dial
		}
		return guard.DialContext
	}
	const within = 10 * time.Second
	return webhookClients{
		partners: newWebhookClient(connect(&net.Dialer{Timeout: within}), true),
		public:   newWebhookClient(connect(&net.Dialer{Timeout: within, Control: DialControl(false)}), false),
		private:  newWebhookClient(connect(&net.Dialer{Timeout: within, Control: DialControl(true)}), false),
	}
}

func newWebhookClient(dial func(context.Context, string, string) (net.Conn, error), keep bool) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dial, Proxy: nil, DisableKeepAlives: !keep, DisableCompression: true,
			MaxIdleConnsPerHost: partnerConcurrency, IdleConnTimeout: 10 * time.Second,
			TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: maxResponseBytes,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// webhookMessage is what is posted: its id stays the same for every attempt.
type webhookMessage struct {
	url    string
	secret []byte
	id     string
	sentAt time.Time // of this attempt; signed
	body   []byte
}

// statusError is an answer other than 2xx.
type statusError struct {
	status     int
	retryAfter time.Duration // Retry-After
}

// Error says what the receiver answered.
func (e *statusError) Error() string {
	if e.status/100 == 3 {
		return fmt.Sprintf("HTTP %d: redirects are not followed", e.status)
	}
	return fmt.Sprintf("HTTP %d %s", e.status, http.StatusText(e.status))
}

// postWebhook sends a message; nil means a 2xx answer. Another answer is a
// *statusError. No error repeats the URL, which may hold a secret.
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
		return err
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxResponseBytes)) // the status alone counts
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

// retryAfter reads the header's seconds or date; 0 when there is none.
func retryAfter(header string, now time.Time) time.Duration {
	wait := time.Duration(0)
	if n, err := strconv.Atoi(header); err == nil {
		wait = time.Duration(min(n, int(maxRetryAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}
