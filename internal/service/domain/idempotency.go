package domain

import "time"

// StoredResponse is one part of the results of a write with an idempotency key.
type StoredResponse struct {
	Key         [32]byte     // hash of key and part number
	Fingerprint [32]byte     // hash of the request
	Secret      [32]byte     // encrypts the results; not stored
	Results     any          // is not changed afterwards
	Subscriber  SubscriberID // the only subscriber it is about; 0: none, or several
	CreatedAt   time.Time
}

// EarlierResponse is a stored response as it is read.
type EarlierResponse struct {
	Fingerprint [32]byte
	// Open reads the results with the secret; nil when the subscriber they were about is erased.
	Open func(secret [32]byte, results any) error
}
