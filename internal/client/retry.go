package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"

	"ativa/internal/api"
)

// RetryPolicy says how often and how fast a failed request is tried again. Zero
// fields take the defaults.
type RetryPolicy struct {
	// Tries counts the first one too; 5 if zero, 1 never tries again.
	MaxAttempts int
	// First is the wait after the first failure, half more or less; each
	// further one is twice as long, up to Most. 500 ms and 15 s if zero.
	InitialWait, MaxWait time.Duration
	// AfterMost caps what a server may ask for with Retry-After; 1 min if zero.
	MaxRetryAfter time.Duration
}

func (r RetryPolicy) withDefaults() RetryPolicy {
	if r.MaxAttempts == 0 {
		r.MaxAttempts = 5
	}
	r.InitialWait = cmp.Or(r.InitialWait, 500*time.Millisecond)
	r.MaxWait = cmp.Or(r.MaxWait, 15*time.Second)
	r.MaxRetryAfter = cmp.Or(r.MaxRetryAfter, time.Minute)
	return r
}

func (r RetryPolicy) backOff() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier = r.InitialWait, r.MaxWait, 2
	b.Reset()
	return b
}

// retry runs try until it succeeds, may not be repeated, or has been run
// often enough, and returns the last error then. It begins no wait that the
// time-out of the call or the deadline of ctx would end. What took too long is
// tried once more only: a silent server stays silent.
func retry[T any](ctx context.Context, c *Client, cl call, try func() (T, error)) (T, error) {
	waits := c.options.Retry.backOff()
	end := time.Now().Add(c.options.Timeout)
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(end) {
		end = deadline
	}
	timeouts := 0
	for n := 1; ; n++ {
		value, err := try()
		if e, ok := errors.AsType[*tokenError](err); ok {
			return value, e.err
		}
		if err == nil || n >= c.options.Retry.MaxAttempts || ctx.Err() != nil || !c.mayRepeat(cl, err) {
			return value, err
		}
		wait := waits.NextBackOff()
		if asked := requestedWait(err); asked > 0 {
			wait = min(asked, c.options.Retry.MaxRetryAfter)
		}
		if isTimeout(err) {
			timeouts++
		}
		if timeouts > 1 || time.Until(end) <= wait {
			return value, err
		}
		if cl.onRetry != nil {
			cl.onRetry(err)
		}
		c.trace.waiting(wait, err)
		if c.options.OnRetry != nil {
			c.options.OnRetry(wait, err)
		}
		if !sleep(ctx, wait) {
			err = fmt.Errorf("%w while waiting to try again after %w", context.Cause(ctx), err)
			return value, &UnavailableError{Route: cl.name(), Unknown: !cl.isReadOnly() && MayHaveEffect(err), Err: err}
		}
	}
}

// sleep waits, and tells false when the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func requestedWait(err error) time.Duration {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.RetryAfter
	}
	return 0
}

// mayRepeat decides whether another try is safe and of use.
func (c *Client) mayRepeat(cl call, err error) bool {
	if e, ok := errors.AsType[*UnavailableError](err); ok {
		return !isPermanent(e.Err) && (!e.Unknown || c.isIdempotent(cl))
	}
	e, ok := errors.AsType[*Error](err)
	switch {
	case !ok || !e.Retryable:
		return false
	case e.Status == http.StatusTooManyRequests:
		return true // it was counted and turned away, not run
	case e.Status == http.StatusInternalServerError:
		return c.hasKey(cl)
	default:
		return c.isIdempotent(cl)
	}
}

// isIdempotent reports whether running the call twice does no more than once. A
// POST is, when it only reads or when the server keeps its key.
func (c *Client) isIdempotent(cl call) bool {
	return cl.readOnly || cl.method != http.MethodPost && cl.method != http.MethodPatch || c.hasKey(cl)
}

// hasKey reports whether the call carries a key and the server has shown that it
// honours keys. Another server may well ignore the header.
func (c *Client) hasKey(cl call) bool {
	return cl.idempotencyKey != "" && c.extensions.has(api.ExtIdempotency)
}

// isTimeout reports whether the network or the server took too long.
func isTimeout(err error) bool {
	network, ok := errors.AsType[net.Error](err)
	return ok && network.Timeout() || errors.Is(err, errTimeout) || errors.Is(err, errSilent)
}

func isRetryable(status int) bool {
	return slices.Contains([]int{
		http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
	}, status)
}

// isPermanent tells network errors that another try in a few seconds will
// repeat: a name that does not exist, a certificate that is not trusted.
func isPermanent(err error) bool {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.IsNotFound
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	_, ok := errors.AsType[tls.RecordHeaderError](err)
	return ok
}

// retryAfter reads the header in either form, seconds or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(min(max(seconds, 0), 86400)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
