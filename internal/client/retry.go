package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"

	"ativa/internal/api"
)

// RetryPolicy says how often a failed request is retried. A zero field means its
// default.
type RetryPolicy struct {
	MaxAttempts int            // includes the first attempt; 5 if zero, 1 disables retries
	Random      func() float64 // in [0, 1), for the waits; math/rand if nil
}

func (r RetryPolicy) withDefaults() RetryPolicy {
	r.MaxAttempts = cmp.Or(r.MaxAttempts, 5)
	if r.Random == nil {
		r.Random = rand.Float64
	}
	return r
}

const (
	// initialWait is the wait before the first retry, plus or minus half. Each further
	// wait is twice as long, up to maxWait.
	initialWait, maxWait = 500 * time.Millisecond, 15 * time.Second
	maxRetryAfter        = time.Minute // longest wait that Retry-After can ask for
)

func newBackOff() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier, b.RandomizationFactor = initialWait, maxWait, 2, 0
	b.Reset()
	return b
}

// retry repeats attempt until it succeeds, its error allows no retry or MaxAttempts is reached,
// and returns the last result. A response that the server is still processing an earlier attempt
// does not count as an attempt. retry returns early if the wait would exceed the time-out of the
// call or the deadline of ctx, or after two time-outs, because a silent server stays silent. The
// error of a write says with [MayHaveEffect] whether any of the attempts may have had its effect.
func retry[T any](ctx context.Context, c *Client, cl call, attempt func() (T, error)) (T, error) {
	waits := newBackOff()
	end := time.Now().Add(c.options.Timeout)
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(end) {
		end = deadline
	}
	timeouts, lost := 0, false
	for n := 1; ; n++ {
		value, err := attempt()
		if e, ok := errors.AsType[*tokenError](err); ok {
			if lost {
				return value, cl.unavailable(e.err)
			}
			return value, e.err
		}
		if lost {
			*unknownOf(err) = true
		}
		if err == nil || n >= c.options.Retry.MaxAttempts || ctx.Err() != nil || !c.mayRepeat(cl, err) {
			return value, err
		}
		lost = lost || MayHaveEffect(err)
		backOff := time.Duration(float64(waits.NextBackOff()) * (0.5 + c.options.Retry.Random()))
		wait := backOff
		if e, ok := errors.AsType[*Error](err); ok && e.RetryAfter > 0 {
			wait = min(e.RetryAfter, maxRetryAfter)
		}
		if HasCode(err, api.CodeRequestInProgress) {
			wait = max(wait, backOff) // the server asks for a second each time
			n--
		}
		if isTimeout(err) {
			timeouts++
		}
		if timeouts > 1 || time.Until(end) <= wait {
			return value, err
		}
		waiting := waitContext(ctx, cl, err)
		if waiting.Err() == nil {
			c.trace("* next try in %v", wait.Round(time.Millisecond))
			if c.options.OnRetry != nil {
				c.options.OnRetry(wait, err)
			}
		}
		if !Sleep(waiting, wait) {
			err = fmt.Errorf("%w while waiting to try again after %w", context.Cause(waiting), err)
			return value, &UnavailableError{Route: cl.name(), Unknown: !cl.isReadOnly() && MayHaveEffect(err), Err: err}
		}
	}
}

// finishKey is the key of the parent of a context of [Finish].
type finishKey struct{}

// Finish returns a context whose calls are finished even if ctx ends, so that their outcome is known.
// A write that the server answers is not retried after the end of ctx.
func Finish(ctx context.Context) context.Context {
	return context.WithValue(context.WithoutCancel(ctx), finishKey{}, ctx)
}

// waitContext returns the context whose end ends the wait for a retry after err.
func waitContext(ctx context.Context, cl call, err error) context.Context {
	parent, finishes := ctx.Value(finishKey{}).(context.Context)
	_, answered := errors.AsType[*Error](err)
	if !finishes || !answered || cl.method == http.MethodGet || HasCode(err, api.CodeRequestInProgress) {
		return ctx
	}
	return parent
}

// Sleep waits. It returns false if the context ends first, or at the same moment.
func Sleep(ctx context.Context, d time.Duration) bool {
	if end, ends := ctx.Deadline(); ends && time.Until(end) <= d {
		<-ctx.Done()
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// mayRepeat reports whether a retry is safe and may succeed.
func (c *Client) mayRepeat(cl call, err error) bool {
	if e, ok := errors.AsType[*UnavailableError](err); ok {
		return !c.isPermanent(e.Err) && (!e.Unknown || c.isIdempotent(cl))
	}
	e, ok := errors.AsType[*Error](err)
	switch {
	case !ok || !e.Retryable:
		return false
	case e.Status == http.StatusTooManyRequests:
		return true // the request was not executed
	case e.Status == http.StatusInternalServerError:
		return c.hasKey(cl)
	default:
		return c.isIdempotent(cl)
	}
}

// isIdempotent reports whether the call may be repeated without further effect.
// A POST may if it only reads or if the server honours its idempotency key.
func (c *Client) isIdempotent(cl call) bool {
	return cl.readOnly || cl.method != http.MethodPost && cl.method != http.MethodPatch || c.hasKey(cl)
}

// hasKey reports whether the call has an idempotency key and the server has
// announced that it honours keys. Other servers may ignore the header.
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

// isPermanent reports whether a network error would occur again in a few seconds: a name that does
// not exist, a certificate that is not trusted. The name of a server that has answered exists: a
// resolver that says otherwise has lost its network.
func (c *Client) isPermanent(err error) bool {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.IsNotFound && !c.answered.Load()
	}
	if proxy, ok := errors.AsType[*ProxyError](err); isUntrusted(err) || ok && proxy.Status == http.StatusProxyAuthRequired {
		return true
	}
	_, ok := errors.AsType[tls.RecordHeaderError](err)
	return ok
}

// isUntrusted reports whether the certificate of the server, or of a proxy, is not trusted.
func isUntrusted(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

// retryAfter parses the value of Retry-After, seconds or a date; 0 if it is
// neither.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(min(max(seconds, 0), 86400)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
