package credentials

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/zalando/go-keyring"
)

// keyringService is the service name of the entries in the keyring.
const keyringService = "ativa"

// Keyring is the keyring of the operating system, with the time-outs that the
// library lacks. The zero Keyring is ready; it must not be copied.
type Keyring struct {
	// Timeout limits each call. Zero means 3 s for Load and 60 s for the others, because a
	// person may have to unlock the keyring.
	Timeout time.Duration

	// hanging is the last call that has timed out, closed when it ends. Until then it holds the
	// library's lock, so every later one would time out too.
	hanging atomic.Pointer[chan struct{}]
}

// key returns the name of the account in the keyring. It includes the server, so a
// changed URL finds no token.
func (a Account) key() string {
	server := strings.TrimSuffix(a.Server, "/")
	if u, err := url.Parse(server); err == nil {
		u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
		server = u.String()
	}
	return a.Context + " (" + server + ")" // shown to people of any language
}

// shortHash returns 128 bits of the SHA-256 of the parts in hex, for a file name.
func shortHash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Load returns the token of the account. Its errors are *Error.
func (k *Keyring) Load(ctx context.Context, a Account) (string, error) {
	return k.call(ctx, a, 3*time.Second, func() (string, error) {
		return keyring.Get(keyringService, a.key())
	})
}

// Probe returns an error if the keyring does not work, so that the user is not
// asked for a token that could not be saved.
func (k *Keyring) Probe(ctx context.Context, a Account) error {
	_, err := k.call(ctx, a, time.Minute, func() (string, error) {
		return keyring.Get(keyringService, a.key())
	})
	return unlessNotFound(err)
}

// Save stores the token of the account and replaces any other.
func (k *Keyring) Save(ctx context.Context, a Account, token string) error {
	_, err := k.call(ctx, a, time.Minute, func() (string, error) {
		return "", keyring.Set(keyringService, a.key(), token)
	})
	return err
}

// Delete removes the token of the account, if there is one.
func (k *Keyring) Delete(ctx context.Context, a Account) error {
	_, err := k.call(ctx, a, time.Minute, func() (string, error) {
		return "", keyring.Delete(keyringService, a.key())
	})
	return unlessNotFound(err)
}

// unlessNotFound returns err, or nil if it means that no token exists.
func unlessNotFound(err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Reason == NotFound {
		return nil
	}
	return err
}

// call runs f in a goroutine and waits up to Timeout, or the limit without one. Then it abandons the
// goroutine, because the library cannot be stopped. When that one has ended, as after the person has
// unlocked the keyring, the library is called again.
func (k *Keyring) call(ctx context.Context, a Account, limit time.Duration, f func() (string, error)) (string, error) {
	fail := func(why Reason, err error) (string, error) {
		return "", &Error{Source: FromKeyring, Place: a.key(), Reason: why, Err: err}
	}
	if !hasKeyring() {
		return fail(NoSessionBus, nil)
	}
	if hanging := k.hanging.Load(); hanging != nil {
		select {
		case <-*hanging:
		default:
			return fail(TimedOut, errSilent)
		}
	}
	type outcome struct {
		token string
		err   error
	}
	done, ended := make(chan outcome, 1), make(chan struct{})
	go func() {
		defer close(ended)
		token, err := f()
		done <- outcome{token, err}
	}()
	timer := time.NewTimer(cmp.Or(k.Timeout, limit))
	defer timer.Stop()
	select {
	case o := <-done:
		switch {
		case errors.Is(o.err, keyring.ErrNotFound):
			return fail(NotFound, nil)
		case o.err != nil:
			return fail(Unavailable, o.err)
		}
		return o.token, nil
	case <-timer.C:
		k.hanging.Store(&ended)
		return fail(TimedOut, errSilent)
	case <-ctx.Done():
		return fail(Unavailable, ctx.Err())
	}
}

// hasKeyring reports whether the library may be called. Without a session bus the library
// would start one by dbus-launch and leave it running. hasKeyring checks the same
// variable and path as the library.
func hasKeyring() bool {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return true
	}
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		return address != "autolaunch:"
	}
	me, err := user.Current()
	if err == nil {
		_, err = os.Stat(filepath.Join("/run/user", me.Uid, "bus"))
	}
	return err == nil
}
