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

// once is what an Idempotency-Key means for one request (decisions.md 5). The
// answer is stored encrypted under a key that only a repetition brings again:
// it is derived from the Idempotency-Key, which is stored as a hash, and from
// the request. So no personal data lies in the database in the clear, and what
// is erased stays erased.
type once struct {
	key         [32]byte // what the answer is found by
	fingerprint [32]byte // tells a repetition from another request
	sealing     []byte   // the key of the cipher
}

// newOnce returns nil when the request has no key.
func newOnce(x *exchange) (*once, error) {
	values := x.r.Header.Values(api.HeaderIdempotencyKey)
	if !x.route.once || len(values) == 0 {
		return nil, nil
	}
	key := values[0]
	if len(values) > 1 || key == "" || len(key) > api.MaxIdempotencyKey {
		return nil, &refusal{code: api.CodeValidationFailed, detail: fmt.Sprintf("one %s of 1 to %d characters may be sent",
			api.HeaderIdempotencyKey, api.MaxIdempotencyKey)}
	}
	path := strings.TrimPrefix(x.r.URL.EscapedPath(), api.Prefix)
	o := &once{key: digest(x.r.Method, path, key)}
	request := digest(x.r.Method, path, key, x.body)
	derived, err := hkdf.Key(sha256.New, request[:], o.key[:], "ativa idempotency", 64)
	if err != nil {
		return nil, err
	}
	copy(o.fingerprint[:], derived[:32])
	o.sealing = derived[32:]
	return o, nil
}

// digest hashes parts so that no two lists of parts look alike.
func digest(parts ...string) [32]byte {
	h := sha256.New()
	for _, p := range parts {
		_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(p))))
		_, _ = io.WriteString(h, p)
	}
	return [32]byte(h.Sum(nil))
}

func (o *once) cipher() (cipher.AEAD, error) {
	block, err := aes.NewCipher(o.sealing)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// seal packs an answer for the database.
func (o *once) seal(a answer) ([]byte, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(w, "%d\n%s\n%s", a.status, a.location, a.body); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	aead, err := o.cipher()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+b.Len()+aead.Overhead())
	_, _ = rand.Read(nonce) // never fails
	return aead.Seal(nonce, nonce, b.Bytes(), o.key[:]), nil
}

// open is the opposite of seal.
func (o *once) open(sealed []byte) (a answer, err error) {
	aead, err := o.cipher()
	if err != nil {
		return a, err
	}
	n := aead.NonceSize()
	if len(sealed) < n {
		return a, errors.New("stored answer: too short")
	}
	plain, err := aead.Open(nil, sealed[:n], sealed[n:], o.key[:])
	if err != nil {
		return a, fmt.Errorf("stored answer: %w", err)
	}
	whole, err := io.ReadAll(flate.NewReader(bytes.NewReader(plain)))
	if err != nil {
		return a, fmt.Errorf("stored answer: %w", err)
	}
	status, rest, _ := bytes.Cut(whole, []byte("\n"))
	location, body, _ := bytes.Cut(rest, []byte("\n"))
	a.location, a.body = string(location), body
	if a.status, err = strconv.Atoi(string(status)); err != nil {
		return a, fmt.Errorf("stored answer: %w", err)
	}
	return a, nil
}

// sealPart packs what is stored of an answer that is not whole.
func (o *once) sealPart(results []byte) ([]byte, error) { return o.seal(answer{body: results}) }

// openPart is the opposite of sealPart.
func (o *once) openPart(sealed []byte) ([]byte, error) {
	a, err := o.open(sealed)
	return a.body, err
}

// flights are the requests with a key that are running on this server.
type flights struct {
	mu      sync.Mutex
	running map[flight]bool
}

type flight struct {
	provider provision.ProviderID
	key      [32]byte
}

// begin notes that a request runs, or refuses because it does already. The
// caller calls done when it has ended.
func (f *flights) begin(x *exchange, o *once) (done func(), err error) {
	id := flight{x.provider, o.key}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running[id] {
		return nil, &refusal{code: api.CodeRequestInProgress, retryAfter: time.Second,
			detail: "a request with this idempotency key is still running"}
	}
	if f.running == nil {
		f.running = map[flight]bool{}
	}
	f.running[id] = true
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.running, id)
	}, nil
}
