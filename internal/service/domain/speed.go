package domain

// InternetSpeed is one entry of the list of internet speeds. Subscribers refer to
// it by id, so that it is never removed.
type InternetSpeed struct {
	ID    int
	Speed string // as people read it, such as "2 Gbps"
	Slug  string // its short form, such as "2-gbps"
}

// SpeedNotInformed is the id of the internet speed of a subscriber without one
// (api.md, Internet speed).
const SpeedNotInformed = 38
