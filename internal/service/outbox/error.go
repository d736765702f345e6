package outbox

import (
	"crypto/x509"
	"errors"
	"io"
	"net"
	"time"
)

// DeliveryError is why an attempt failed.
type DeliveryError struct {
	Err             error
	Permanent       bool          // every further attempt would fail too
	DestinationDown bool          // no delivery to the destination would succeed now
	RetryAfter      time.Duration // the wait that the destination requested; 0 if none
}

// Error returns the cause's message.
func (e *DeliveryError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *DeliveryError) Unwrap() error { return e.Err }

func isPermanent(err error) bool {
	e, ok := errors.AsType[*DeliveryError](err)
	return ok && e.Permanent
}

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
