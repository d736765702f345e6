package pgtest

import (
	"flag"
	"slices"
	"strings"
	"sync"
)

// runs remembers which tests used a database; only these need a second engine.
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

// choose limits the next run to these tests, and to the subtests that the user chose. If the user
// chose no tests and words is not empty, only tests with a word in their names run.
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
