// Package client speaks to any server that has the subscriber and service
// provisioning API, ours or another.
//
// It decides how a request travels: time-outs, caps, which failures are tried
// again and when that is safe, when the bearer token is renewed, what a trace
// may show. It uses our extensions where a server has shown that it has them,
// and needs none. It refuses to know where an access token comes from
// ([Tokens] does), how responses are shown, and what a status means.
package client
