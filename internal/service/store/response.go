package store

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"ativa/internal/service/domain"
)

// StoredResponse implements rules.Tx.
func (t *tx) StoredResponse(ctx context.Context, key [32]byte) (a domain.EarlierResponse, found bool, err error) {
	var fingerprint, sealed []byte
	found, err = queryRow(ctx, t, `SELECT fingerprint, response FROM idempotency_response WHERE provider_id = ? AND key = ?`,
		[]any{t.provider.ID, key[:]}, &fingerprint, &sealed)
	copy(a.Fingerprint[:], fingerprint)
	if len(sealed) > 0 {
		a.Open = func(secret [32]byte, results any) error { return unseal(key, secret, sealed, results) }
	}
	return a, found, err
}

// sealedResponse is a response whose results are sealed while the transaction continues.
type sealedResponse struct {
	domain.StoredResponse
	sealed []byte
	err    error
	done   chan struct{} // closed when sealed and err are set
}

// SaveResponse implements rules.Tx. The response is written when the write ends.
func (t *tx) SaveResponse(_ context.Context, a domain.StoredResponse) error {
	if t.sealer == nil {
		return errReadOnly
	}
	s := &sealedResponse{StoredResponse: a, done: make(chan struct{})}
	t.responses = append(t.responses, s)
	go func() {
		defer close(s.done)
		s.sealed, s.err = t.sealer.seal(a)
	}()
	return nil
}

// writeResponses writes the responses of SaveResponse.
func (t *tx) writeResponses(ctx context.Context) error {
	for _, a := range t.responses {
		<-a.done
		if a.err != nil {
			return a.err
		}
		err := t.queue(ctx, `INSERT INTO idempotency_response (provider_id, key, fingerprint, response, created_at, subscriber_id) VALUES (?, ?, ?, ?, ?, ?)`,
			t.provider.ID, a.Key[:], a.Fingerprint[:], a.sealed, micros(a.CreatedAt), int64(a.Subscriber))
		if err != nil {
			return err
		}
	}
	return nil
}

// sealer compresses and encrypts results, so that the database holds none of their personal data in
// plain text. It is safe for concurrent use.
type sealer struct{ deflaters sync.Pool } // of *flate.Writer, each most of a megabyte

func (s *sealer) seal(a domain.StoredResponse) ([]byte, error) {
	var plain bytes.Buffer
	w, pooled := s.deflaters.Get().(*flate.Writer)
	if !pooled {
		w, _ = flate.NewWriter(nil, flate.BestSpeed) // fails only for an invalid level
	}
	defer s.deflaters.Put(w)
	w.Reset(&plain)
	if err := errors.Join(json.NewEncoder(w).Encode(a.Results), w.Close()); err != nil {
		return nil, err
	}
	aead, err := newAEAD(a.Secret)
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, plain.Bytes(), a.Key[:]), nil
}

// unseal is the opposite of seal.
func unseal(key, secret [32]byte, sealed []byte, results any) error {
	aead, err := newAEAD(secret)
	if err != nil {
		return err
	}
	plain, err := aead.Open(nil, nil, sealed, key[:])
	if err == nil {
		err = json.NewDecoder(flate.NewReader(bytes.NewReader(plain))).Decode(results)
	}
	if err != nil {
		return fmt.Errorf("stored response: %w", err)
	}
	return nil
}

func newAEAD(secret [32]byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(secret[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
