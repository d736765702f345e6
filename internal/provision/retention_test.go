package provision_test

import (
	"errors"
	"testing"
	"time"

	"ativa/internal/provision"
)

func TestStoredAnswersAndTokensServeTheirTime(t *testing.T) {
	w := newWorld(t, 10)
	bearer, err := w.m.Authenticate(w.ctx, w.token)
	w.must(err)
	call := w.call()
	call.Once = &provision.Once{Key: [32]byte{1}, Encode: func(any) ([]byte, error) { return []byte("answer"), nil }}
	_, err = w.m.CreateSubscriber(w.ctx, call, fields(1))
	w.must(err)
	var replay *provision.Replay

	w.now = w.now.Add(7 * 24 * time.Hour)
	w.must(w.m.Purge(w.ctx))
	if _, err = w.m.CreateSubscriber(w.ctx, call, fields(1)); !errors.As(err, &replay) {
		t.Errorf("after 7 days: got %v, want the stored answer", err)
	}
	_, err = w.m.Identify(w.ctx, bearer.Token)
	wantCode(t, err, provision.TokenInvalid) // forgotten: it expired days ago

	w.now = w.now.Add(time.Second)
	w.must(w.m.Purge(w.ctx))
	_, err = w.m.CreateSubscriber(w.ctx, call, fields(1))
	wantCode(t, err, provision.SubscriberExists) // done again, and refused
}
