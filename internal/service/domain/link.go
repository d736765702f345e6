package domain

import "time"

// Link is an activation link. Only the hash of its secret is kept.
type Link struct {
	Hash        [32]byte
	Delivery    DeliveryID // the delivery that carried it
	Service     ServiceID
	EmailNumber int // Service.EmailNumber when it was made
	ExpiresAt   time.Time
	UsedAt      time.Time // zero: not used
	Opened      bool      // whether any link of the same delivery was opened; set on reads only
}

// LinkLifetime is how long an activation link is valid.
const LinkLifetime = 7 * 24 * time.Hour
