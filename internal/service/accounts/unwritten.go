package accounts

import "sync"

// unwritten holds values by key until they are written, so that no request waits for a write. The
// zero value is ready to use, and safe for concurrent use.
type unwritten[K comparable, V any] struct {
	mu     sync.Mutex
	values map[K]V
}

// update calls change with the values, which it may change.
func (u *unwritten[K, V]) update(change func(map[K]V)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.values == nil {
		u.values = map[K]V{}
	}
	change(u.values)
}

// write takes the values and calls store with them, if there are any. After an error it calls keep
// with each, for the next call.
func (u *unwritten[K, V]) write(store func(map[K]V) error, keep func(K, V)) error {
	u.mu.Lock()
	values := u.values
	u.values = nil
	u.mu.Unlock()
	if len(values) == 0 {
		return nil
	}
	err := store(values)
	if err != nil {
		for key, value := range values {
			keep(key, value)
		}
	}
	return err
}
