package domain

import "time"

// RecordEntry is an entry of the operator's record (decisions.md 17): a command, what a
// provider did with its access tokens, or the requests that were refused of an address
// within an hour.
type RecordEntry struct {
	At        time.Time // the hour, for refused requests
	User      string    // of the operating system; of a provider, its name and that of the token
	Host      string
	Command   string // without arguments; of refused requests, method and path
	Arguments string // without secrets and personal data
	Failed    bool
	Address   string // of the client whose requests were refused
	Count     int    // how many; 1 for all else
}
