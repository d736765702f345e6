package server

import "time"

// ReadJSON reads a document as bodies are read, and says what is wrong with it.
func ReadJSON(s string) error {
	r, err := newJSONReader(s)
	if err != nil {
		return err
	}
	if err := r.skip(); err != nil {
		return err
	}
	return r.end()
}

// Mask takes personal data out of a text.
func Mask(s string) string { return mask(s) }

// StreamBuffer is how much of the plain list is held before it is sent.
const StreamBuffer = streamBuffer

// NewThrottle returns the take of a throttle.
func NewThrottle(perSecond float64, burst int) func(key string, at time.Time) error {
	return newRateLimiter(perSecond, burst).take
}

// AddressKey is what attempts from an address are counted under.
func AddressKey(remote string) string { return addressKey(hostOf(remote)) }

// Hash is what a content security policy calls a style by.
func Hash(style string) string { return styleHash(style) }
