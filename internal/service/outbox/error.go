package outbox

import (
	"crypto/x509"
	"errors"
	"io"
	"net"
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

// withoutHost returns the error of a network call without its host and address: providers see why
// a delivery failed, but not the operator's hosts.
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
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the connection was lost")
	}
	return err
}
