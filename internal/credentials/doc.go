// Package credentials finds the access token and keeps the bearer token.
//
// It decides in which order the sources of an access token are tried, which of
// them are trusted, how long it waits for a keyring, and when a bearer token is
// still usable. It refuses to know how an access token is exchanged for a bearer
// token: the caller passes a function. No error and no attempt contains a token.
package credentials
