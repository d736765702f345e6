// Package credentials finds the access token and keeps the bearer token.
//
// It decides in which order the places of a token are asked, which of them may
// be trusted, how long a silent keyring is waited for, and when a bearer is
// still good. It refuses to know how a token is exchanged: that is a function
// that the caller passes in. No error and no attempt ever holds a token.
package credentials
