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
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"ativa/internal/api"
	"ativa/internal/provision"
)

// response is the whole response to a write: what is sent and, under an
// Idempotency-Key, stored.
type response struct {
	status   int
	location string
	body     []byte
	// failed means that the write had no effect. Such a response is not
	// stored: repeating the request runs it again.
	failed bool
}

func (c *requestContext) respond(res response) error {
	media := api.MediaJSON
	if res.status >= http.StatusBadRequest {
		media = api.MediaProblem
	}
	if res.location != "" {
		c.Header().Set("Location", res.location)
	}
	return c.send(res.status, media, res.body)
}

// write runs a use case and sends the response that build makes of its result.
// Under an Idempotency-Key the use case runs at most once, and a repetition of
// the request gets the stored response. build runs inside the transaction and
// must not read the database. On a route of dry runs nothing is changed.
func write[T any](c *requestContext, run func(provision.Call) (T, error), build func(T) (response, error)) error {
	call := provision.Call{Provider: c.provider, Token: c.token, DryRun: c.route.dryRun}
	key, err := readIdempotencyKey(c)
	if err != nil {
		return err
	}
	var built *response
	if key != nil {
		done, err := c.s.running.start(c.provider, key)
		if err != nil {
			return err
		}
		defer done()
		encode := func(result any) ([]byte, error) {
			var v T
			if p, ok := result.(*T); ok {
				v = *p
			}
			res, err := build(v)
			if built = &res; err != nil || res.failed {
				return nil, err
			}
			return key.seal(res)
		}
		call.IdempotencyKey = &provision.IdempotencyKey{
			Key: key.hash, Fingerprint: key.fingerprint, Encode: encode,
			Seal: func(results []byte) ([]byte, error) { return key.seal(response{body: results}) },
			Open: func(sealed []byte) ([]byte, error) { res, err := key.open(sealed); return res.body, err },
		}
	}
	result, err := run(call)
	if stored, ok := errors.AsType[*provision.RepeatedRequestError](err); ok {
		return c.replay(key, stored)
	}
	if err != nil {
		return err
	}
	if built == nil {
		res, err := build(result)
		if err != nil {
			return err
		}
		built = &res
	}
	return c.respond(*built)
}

func (c *requestContext) replay(key *idempotencyKey, stored *provision.RepeatedRequestError) error {
	res, err := key.open(stored.Response)
	if err != nil {
		return err
	}
	c.Header().Set(api.HeaderIdempotencyReplayed, "true")
	return c.respond(res)
}

func jsonResponse(status int, v any) (response, error) {
	body, err := encode(v)
	return response{status: status, body: body}, err
}

// idempotencyKey is the Idempotency-Key of one request (decisions.md 5). The
// response is stored encrypted. The key of the cipher is derived from the
// Idempotency-Key, of which only a hash is stored, and from the request: only a
// repetition of the request can decrypt the response. So the database holds no
// personal data of it in the clear.
type idempotencyKey struct {
	hash        [32]byte   // finds the stored response
	fingerprint [32]byte   // distinguishes a repetition from another request
	cipherKey   []byte     // for AES-256
	deflaters   *sync.Pool // of the server
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
	k := &idempotencyKey{hash: digest(c.r.Method, path, key), deflaters: &c.s.deflaters}
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
	w := k.deflaters.Get().(*flate.Writer)
	defer k.deflaters.Put(w)
	w.Reset(&b)
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
