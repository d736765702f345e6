package cmd

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/credentials"
	"ativa/internal/lang"
)

const (
	// webhookSecretVariable holds the signing secret of forwarded events.
	webhookSecretVariable = "ATIVA_WEBHOOK_SECRET"
	receiverTimeout       = 20 * time.Second   // from the dial to the end of the response (decisions.md 8)
	forwardingLimit       = 7 * 24 * time.Hour // limit for a page (decisions.md 13)
)

// forwarder posts the feed to a receiver, like the service's push (decisions.md 13).
type forwarder struct {
	*feed
	to     *url.URL
	signer *webhooks.Webhook
	http   *http.Client
}

// newForwarder checks the flags and reads the secret. made is the generated secret, else empty.
func newForwarder(e *cli.Env, o eventsOptions) (f *forwarder, made string, err error) {
	to, err := receiverURL(o.forwardTo, e.Global.InsecureHTTP)
	if err != nil {
		return nil, "", err
	}
	secret, err := webhookSecret(e, o.secretFile)
	if err != nil {
		return nil, "", err
	}
	if secret == "" {
		secret = newWebhookSecret()
		made = secret
	}
	signer, err := webhooks.NewWebhook(secret)
	if err != nil {
		return nil, "", secretFailure(cli.Msg("it is not a secret like whsec_…"), cmp.Or(o.secretFile, webhookSecretVariable))
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second}
	var sender http.RoundTripper = transport
	if e.Transport != nil {
		sender = e.Transport(transport)
	}
	return &forwarder{to: to, signer: signer, http: &http.Client{
		Transport: sender, Timeout: receiverTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, made, nil
}

// receiverURL parses the URL that events are posted to. Events hold personal data, so plain http
// is refused except to this machine, unless allowed.
func receiverURL(text string, allowHTTP bool) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, cli.Usage("--forward-to is a URL like http://localhost:8080/events")
	case u.Scheme == "http" && !allowHTTP && !client.IsLoopback(u.Hostname()):
		return nil, cli.Usage("--forward-to: plain http would send the events unprotected to another machine").WithHint("use https, or --insecure-http")
	}
	return u, nil
}

// webhookSecret returns the secret from the file or the environment, or "" if there is none.
func webhookSecret(e *cli.Env, file string) (string, error) {
	if file == "" {
		return e.Getenv(webhookSecretVariable), nil
	}
	secret, reason, err := credentials.ReadSecret(file, 0o077)
	if err == nil {
		return secret, nil
	}
	why := cli.Msg(reason.Text())
	switch reason {
	case credentials.Malformed:
		why = cli.Msg("it is not a secret like whsec_…")
	case credentials.ReadableByOthers:
		why = cli.Msg("%s: %s", why, err) // the command that fixes it
	}
	return "", secretFailure(why, file)
}

func secretFailure(why cli.Message, place string) error {
	return &cli.Failure{Exit: cli.ExitAuth, Code: "auth", Message: cli.Msg("the secret of the receiver, from %s: %s", place, why),
		Hint: cli.Msg("give it in a file with --secret-file or in ATIVA_WEBHOOK_SECRET; without both one is made and printed")}
}

func newWebhookSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return "whsec_" + base64.StdEncoding.EncodeToString(b[:])
}

// secretRow is a generated secret of a run.
type secretRow struct {
	Secret string `json:"secret"`
}

// runForward forwards the feed up to its end, or indefinitely with --follow.
func runForward(ctx context.Context, e *cli.Env, o eventsOptions) error {
	p, err := cli.NewPrinter(e, cli.SchemaOf[secretRow]("", "secrets", ""))
	if err != nil {
		return err
	}
	f, made, err := newForwarder(e, o)
	if err != nil {
		return err
	}
	return e.WithClient(ctx, func(ctx context.Context, c *client.Client) error {
		if err := checkFeed(ctx, c); err != nil {
			return err
		}
		if made != "" {
			if err := p.One(ctx, nil, secretRow{made}); err != nil {
				return err
			}
		}
		f.feed = &feed{Env: e, client: c, eventsOptions: o}
		return f.run(ctx)
	})
}

func (f *forwarder) run(ctx context.Context) error {
	f.Notice("forwarding events to %s", f.to.Host)
	for page, err := range f.pages(ctx) {
		if err == nil && len(page.Events) > 0 {
			err = f.deliver(ctx, page)
		}
		if err != nil {
			f.noticeCursor(err)
			return err
		}
	}
	f.noticeCursor(nil)
	return nil
}

// noticeCursor prints how to continue.
func (f *forwarder) noticeCursor(err error) {
	switch {
	case client.HasCode(err, api.CodeInvalidCursor):
	case f.after == "":
		f.Notice("the receiver has accepted nothing; the same command starts again")
	default:
		f.Notice("to continue: the same command with --after %s", f.after)
	}
}

// deliver posts a page until the receiver accepts it, for at most forwardingLimit.
func (f *forwarder) deliver(ctx context.Context, page client.EventPage) error {
	body, err := encodeEvents(page)
	if err != nil {
		return err
	}
	id := messageID(f.after, page.Next)
	began := time.Now()
	for attempt := 0; ; attempt++ {
		err := f.post(ctx, id, body)
		if err == nil {
			f.Notice("delivered %d [event|events]", len(page.Events))
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		wait := forwardDelay(attempt)
		if time.Since(began)+wait > forwardingLimit {
			return &cli.Failure{Exit: cli.ExitUnavailable, Code: "unavailable", Message: cli.Msg("the receiver has accepted nothing for 7 days"), Err: err,
				Hint: cli.Msg("fix the receiver, and go on with --after")}
		}
		f.Notice("%s; trying again in %s", err, wait)
		if !client.Sleep(ctx, wait) {
			return ctx.Err()
		}
	}
}

// forwardDelay returns the wait after an attempt, counted from 0 (decisions.md 13).
func forwardDelay(attempt int) time.Duration {
	delays := [...]time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour}
	return delays[min(attempt, len(delays)-1)]
}

// messageID returns an id that is the same for every attempt of a page, also in a later run, and
// unique to the page.
func messageID(after, next string) string {
	h := sha256.Sum256([]byte(after + "\n" + next))
	return "feed_" + hex.EncodeToString(h[:16])
}

// encodeEvents returns the body of a message: the events as the server sent them.
func encodeEvents(page client.EventPage) ([]byte, error) {
	type data struct {
		Events     []json.RawMessage `json:"events"`
		NextCursor string            `json:"next_cursor"`
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(struct {
		Type string `json:"type"`
		Data data   `json:"data"`
	}{"events", data{cli.Map(page.Events, cli.RawJSON[api.Event]), page.Next}})
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// post makes one attempt. Its errors never contain the URL, which may hold a secret.
func (f *forwarder) post(ctx context.Context, id string, body []byte) error {
	now := time.Now()
	signature, err := f.signer.Sign(id, now, body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.to.String(), bytes.NewReader(body))
	if err != nil {
		return errors.New("the URL is not one")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "ativa/"+cli.Version)
	req.Header.Set(webhooks.HeaderWebhookID, id)
	req.Header.Set(webhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	req.Header.Set(webhooks.HeaderWebhookSignature, signature)
	res, err := f.http.Do(req)
	if err != nil {
		if at, ok := errors.AsType[*url.Error](err); ok {
			err = at.Err
		}
		return &cli.Failure{Message: cli.Msg("%s: %s", cli.Msg("the receiver gave no answer"), lang.Cause(err.Error()))}
	}
	defer res.Body.Close()
	const enough = 64 << 10
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, enough)) // only the status matters
	if res.StatusCode/100 != 2 {
		answer := fmt.Sprintf("HTTP %d", res.StatusCode)
		switch {
		case f.Global.Debug:
			return &cli.Failure{Message: cli.Msg("the receiver answered %s", answer)}
		case res.StatusCode/100 == 3:
			answer = "redirects are not followed"
		}
		return &cli.Failure{Message: cli.Msg("the receiver did not accept it: %s", lang.Cause(answer))}
	}
	return nil
}
