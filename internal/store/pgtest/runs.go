package pgtest

import (
	"flag"
	"slices"
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
// the user chose. Where the user chose no tests, those are left out that none of the
// words is in, if there are words.
func (r *runs) choose(words []string) error {
	f := flag.Lookup("test.run")
	names := r.names
	if f.Value.String() == "" && len(words) > 0 {
		names = slices.DeleteFunc(names, func(name string) bool {
			return !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
		})
	}
	_, sub, chosen := strings.Cut(f.Value.String(), "/")
	pattern := "^(" + strings.Join(names, "|") + ")$"
	if chosen {
		pattern += "/" + sub
	}
	return f.Value.Set(pattern)
}
