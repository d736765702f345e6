package provision

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// Secret returns the Standard Webhooks form of a signing secret, "whsec_…".
func Secret(b []byte) string { return "whsec_" + base64.StdEncoding.EncodeToString(b) }

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return b
}

// newSecret returns 256 random bits as 43 characters.
func newSecret() string {
	return base64.RawURLEncoding.EncodeToString(randomBytes(32))
}

func hashSecret(s string) [32]byte { return sha256.Sum256([]byte(s)) }
