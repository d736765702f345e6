// Package client speaks to any server that has the subscriber and service
// provisioning API, ours or another.
//
// It decides how a request is sent: time-outs, size limits, which failures are
// retried and when that is safe, when the bearer token is renewed, what a trace
// may show. It uses our extensions if the server has announced them, and needs
// none. It refuses to know where an access token comes from ([TokenSource]
// knows), how responses are shown, and what a status means (package lifecycle
// knows).
package client
