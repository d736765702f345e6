package pgtest

import (
	"flag"
	"strings"
	"sync"
)

// runs remembers which tests took a database: the others have nothing to show
// on a second engine.
type runs struct {
	mu    sync.Mutex
	names []string
}

func (r *runs) note(t TB) {
	name, _, _ := strings.Cut(t.Name(), "/")
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names = append(r.names, name)
}

// choose lets the next run be of these tests alone, and of those subtests that
// the user chose.
func (r *runs) choose() error {
	f := flag.Lookup("test.run")
	_, sub, chosen := strings.Cut(f.Value.String(), "/")
	pattern := "^(" + strings.Join(r.names, "|") + ")$"
	if chosen {
		pattern += "/" + sub
	}
	return f.Value.Set(pattern)
}
