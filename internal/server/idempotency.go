package server

import (
	"bytes"
	"compress/flate"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"ativa/internal/api"
	"ativa/internal/provision"
)

// idempotencyKey is the Idempotency-Key of one request (decisions.md 5). The
// response is stored encrypted. The key of the cipher is derived from the
// Idempotency-Key, of which only a hash is stored, and from the request: only a
// repetition of the request can decrypt the response. So the database holds no
// personal data of it in the clear.
type idempotencyKey struct {
	hash        [32]byte // finds the stored response
	fingerprint [32]byte // distinguishes a repetition from another request
	cipherKey   []byte   // for AES-256
}

// readIdempotencyKey returns nil if the request has no key or the route ignores it.
func readIdempotencyKey(c *requestContext) (*idempotencyKey, error) {
	values := c.r.Header.Values(api.HeaderIdempotencyKey)
	if !c.route.idempotent || len(values) == 0 {
		return nil, nil
	}
	key := values[0]
	if len(values) > 1 || key == "" || len(key) > api.MaxIdempotencyKey {
		return nil, &httpError{code: api.CodeValidationFailed, detail: fmt.Sprintf("one %s of 1 to %d characters may be sent",
			api.HeaderIdempotencyKey, api.MaxIdempotencyKey)}
	}
	path := strings.TrimPrefix(c.r.URL.EscapedPath(), api.Prefix)
	k := &idempotencyKey{hash: digest(c.r.Method, path, key)}
	request := digest(c.r.Method, path, key, c.body)
	derived, err := hkdf.Key(sha256.New, request[:], k.hash[:], "ativa idempotency", 64)
	if err != nil {
		return nil, err
	}
	copy(k.fingerprint[:], derived[:32])
	k.cipherKey = derived[32:]
	return k, nil
}

// digest hashes the parts with their lengths, so that different lists of parts
// have different digests.
func digest(parts ...string) [32]byte {
	h := sha256.New()
	for _, p := range parts {
		_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(p))))
		_, _ = io.WriteString(h, p)
	}
	return [32]byte(h.Sum(nil))
}

func (k *idempotencyKey) cipher() (cipher.AEAD, error) {
	block, err := aes.NewCipher(k.cipherKey)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// seal compresses and encrypts a response for the database.
func (k *idempotencyKey) seal(res response) ([]byte, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(w, "%d\n%s\n%s", res.status, res.location, res.body); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	aead, err := k.cipher()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+b.Len()+aead.Overhead())
	_, _ = rand.Read(nonce) // never fails
	return aead.Seal(nonce, nonce, b.Bytes(), k.hash[:]), nil
}

// open is the opposite of seal.
func (k *idempotencyKey) open(sealed []byte) (res response, err error) {
	aead, err := k.cipher()
	if err != nil {
		return res, err
	}
	n := aead.NonceSize()
	if len(sealed) < n {
		return res, errors.New("stored response: too short")
	}
	plain, err := aead.Open(nil, sealed[:n], sealed[n:], k.hash[:])
	if err != nil {
		return res, fmt.Errorf("stored response: %w", err)
	}
	whole, err := io.ReadAll(flate.NewReader(bytes.NewReader(plain)))
	if err != nil {
		return res, fmt.Errorf("stored response: %w", err)
	}
	status, rest, _ := bytes.Cut(whole, []byte("\n"))
	location, body, _ := bytes.Cut(rest, []byte("\n"))
	res.location, res.body = string(location), body
	if res.status, err = strconv.Atoi(string(status)); err != nil {
		return res, fmt.Errorf("stored response: %w", err)
	}
	return res, nil
}

// runningRequests has the requests with an Idempotency-Key that run on this
// server. The zero value is ready to use.
type runningRequests struct{ sync.Map }

type runningRequest struct {
	provider provision.ProviderID
	key      [32]byte
}

// start adds a request, or fails if one with the same key runs. The caller calls
// done when the request has ended.
func (f *runningRequests) start(p provision.ProviderID, key *idempotencyKey) (done func(), err error) {
	id := runningRequest{p, key.hash}
	if _, running := f.LoadOrStore(id, true); running {
		return nil, &httpError{code: api.CodeRequestInProgress, retryAfter: time.Second,
			detail: "a request with this idempotency key is still running"}
	}
	return func() { f.Delete(id) }, nil
}
