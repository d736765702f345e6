package server

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// write runs a use case and returns its result. With an Idempotency-Key the use case runs at most
// once, and a repetition of the request gets the stored result. On a dry-run route it changes
// nothing.
func write[T any](c *requestContext, run func(rules.Call) (T, error)) (result T, err error) {
	call := rules.Call{Provider: c.Provider, Token: c.Token, DryRun: c.route.dryRun}
	if call.IdempotencyKey, err = readIdempotencyKey(c); err != nil {
		return result, err
	}
	if key := call.IdempotencyKey; key != nil {
		done, err := c.s.running.start(c.Provider, key)
		if err != nil {
			return result, err
		}
		defer done()
	}
	result, err = run(call)
	if key := call.IdempotencyKey; err == nil && key != nil && key.Repeated {
		c.Header().Set(api.HeaderIdempotencyReplayed, "true")
	}
	return result, err
}

// readIdempotencyKey returns the key of the request, or nil if it has none or the route ignores it
// (decisions.md 5). The secret is derived from the request and the Idempotency-Key. Only a hash of
// the key is stored, so that only a repetition of the request can open the stored results.
func readIdempotencyKey(c *requestContext) (*rules.IdempotencyKey, error) {
	values := c.r.Header.Values(api.HeaderIdempotencyKey)
	if !c.route.idempotent || len(values) == 0 {
		return nil, nil
	}
	key := values[0]
	if len(values) > 1 || key == "" || len(key) > api.MaxIdempotencyKey {
		return nil, invalidFields(api.FieldError{Field: api.HeaderIdempotencyKey, Code: "invalid",
			Detail: fmt.Sprintf("one key of 1 to %d bytes", api.MaxIdempotencyKey)})
	}
	path := strings.TrimPrefix(c.r.URL.EscapedPath(), api.Prefix)
	k := &rules.IdempotencyKey{Key: digest(c.r.Method, path, key)}
	request := digest(c.r.Method, path, key, c.body)
	derived, err := hkdf.Key(sha256.New, request[:], k.Key[:], "ativa idempotency", 64)
	if err != nil {
		return nil, err
	}
	copy(k.Fingerprint[:], derived[:32])
	copy(k.Secret[:], derived[32:])
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

// runningRequests holds the requests with an Idempotency-Key that are running on this server. The
// zero value is ready to use.
type runningRequests struct{ sync.Map }

type runningRequest struct {
	provider domain.ProviderID
	key      [32]byte
}

// start adds a request, or returns an error if one with the same key is running. The caller must
// call done when the request has ended.
func (f *runningRequests) start(p domain.ProviderID, key *rules.IdempotencyKey) (done func(), err error) {
	id := runningRequest{p, key.Key}
	if _, running := f.LoadOrStore(id, true); running {
		return nil, &httpError{code: api.CodeRequestInProgress, retryAfter: time.Second,
			detail: "a request with this idempotency key is still running"}
	}
	return func() { f.Delete(id) }, nil
}
