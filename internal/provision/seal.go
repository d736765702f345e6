package provision

import (
	"bytes"
	"compress/flate"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// sealer compresses and encrypts results that are stored under idempotency keys. So the
// database holds no personal data of them in the clear. It is safe for concurrent use.
type sealer struct{ deflaters sync.Pool } // of *flate.Writer, which take most of a megabyte each

// start seals results on another goroutine, so that the transaction that stores them
// does not wait. The function that it returns waits for the outcome, and must be called.
func (s *sealer) start(k *IdempotencyKey, results any) func() ([]byte, error) {
	if k == nil || results == nil {
		return func() ([]byte, error) { return nil, nil }
	}
	var sealed []byte
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		sealed, err = s.seal(k, results)
	}()
	return func() ([]byte, error) {
		<-done
		return sealed, err
	}
}

func (s *sealer) seal(k *IdempotencyKey, results any) ([]byte, error) {
	var b bytes.Buffer
	w, pooled := s.deflaters.Get().(*flate.Writer)
	if !pooled {
		w, _ = flate.NewWriter(nil, flate.BestSpeed) // fails only at another level
	}
	defer s.deflaters.Put(w)
	w.Reset(&b)
	if err := json.NewEncoder(w).Encode(results); err != nil {
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
	return aead.Seal(nonce, nonce, b.Bytes(), k.Key[:]), nil
}

// open is the opposite of seal.
func (s *sealer) open(k *IdempotencyKey, sealed []byte, results any) error {
	aead, err := k.cipher()
	if err != nil {
		return err
	}
	n := aead.NonceSize()
	if len(sealed) < n {
		return errors.New("stored response: too short")
	}
	plain, err := aead.Open(nil, sealed[:n], sealed[n:], k.Key[:])
	if err != nil {
		return fmt.Errorf("stored response: %w", err)
	}
	if err := json.NewDecoder(flate.NewReader(bytes.NewReader(plain))).Decode(results); err != nil {
		return fmt.Errorf("stored response: %w", err)
	}
	return nil
}

func (k *IdempotencyKey) cipher() (cipher.AEAD, error) {
	block, err := aes.NewCipher(k.Secret[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
