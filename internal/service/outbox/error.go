package outbox

import (
	"crypto/x509"
	"errors"
	"net"
	"regexp"
	"time"
)

// PermanentError is a failure that would recur with every further attempt.
type PermanentError struct{ Err error }

// Error returns the cause's message.
func (p *PermanentError) Error() string { return p.Err.Error() }

// Unwrap returns the cause.
func (p *PermanentError) Unwrap() error { return p.Err }

func isPermanent(err error) bool {
	_, ok := errors.AsType[*PermanentError](err)
	return ok
}

// TemporaryError is a failure after which another attempt may succeed.
type TemporaryError struct {
	Err             error
	DestinationDown bool          // no delivery to the destination would succeed now
	RetryAfter      time.Duration // the wait that the destination requested; 0 if none
}

// Error returns the cause's message.
func (f *TemporaryError) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *TemporaryError) Unwrap() error { return f.Err }

// withoutHost returns the error of a network call without the host and address in it. A provider
// sees why a delivery failed, but the hosts belong to the operator.
func withoutHost(err error) error {
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		return errors.New("host name lookup: " + lookup.Err)
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return errors.New("tls: the certificate is not valid for the name of the host")
	}
	if call, ok := errors.AsType[*net.OpError](err); ok && call.Err != nil {
		return errors.New(call.Op + ": " + call.Err.Error())
	}
	return err
}

// maskAddresses masks e-mail addresses, which a server may repeat in its responses.
func maskAddresses(text string) string {
	return regexp.MustCompile(`[^\s<>"'(),:;@]+@[^\s<>"'(),:;@]+`).ReplaceAllString(text, "***")
}

// backoff returns the delay after n+1 failed attempts.
func backoff(n int) time.Duration {
	return min(time.Hour, 5*time.Second<<min(n, 12))
}

// callbackRetryDelay returns the delay after n+1 failed attempts at a callback, and false after
// the last one (decisions.md 8).
func callbackRetryDelay(n int) (time.Duration, bool) {
	schedule := [...]time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
		10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
	if n >= len(schedule) {
		return 0, false
	}
	return schedule[n], true
}
