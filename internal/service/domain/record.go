package domain

import "time"

// RecordEntry is an entry of the operator's record (decisions.md 17): a command, a token change by a
// provider, or the refused requests of an address within an hour.
type RecordEntry struct {
	At        time.Time // the hour, for refused requests
	User      string    // of the operating system; for a provider, its name and the token's
	Host      string
	Command   string // without arguments; for refused requests, method and path
	Arguments string // without secrets and personal data
	Failed    bool
	Address   string // of the client whose requests were refused
	Count     int    // number of refused requests; otherwise 1
}
