package domain

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// Secret returns the Standard Webhooks form of a signing secret, "whsec_…".
func Secret(b []byte) string { return "whsec_" + base64.StdEncoding.EncodeToString(b) }

// RandomBytes returns n random bytes.
func RandomBytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return b
}

// NewSecret returns 256 random bits as 43 characters.
func NewSecret() string {
	return base64.RawURLEncoding.EncodeToString(RandomBytes(32))
}

// HashSecret returns the form in which a secret is stored.
func HashSecret(s string) [32]byte { return sha256.Sum256([]byte(s)) }
