// Package searchindex finds subscribers by name, e-mail address, document and telephone number in
// memory, with about 100 bytes per subscriber. It decides which text of a subscriber is searchable
// and which texts match a term. It does not know where subscribers come from: a function loads
// them, and each commit reports what it changed.
package searchindex

import (
	"cmp"
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// Index holds the texts of providers that have been searched. It is correct only if every change
// of a subscriber passes through [Index.Apply], so a process that shares its database cannot use
// it. It is safe for concurrent use.
type Index struct {
	mu        sync.RWMutex
	providers map[domain.ProviderID]*providerTexts
}

// Change is what a commit does to the text of one subscriber. An empty text
// removes it.
type Change struct {
	ID   domain.SubscriberID
	Text string
}

// Separators within a chunk of texts. Neither occurs in a text.
const (
	entryStart     = 0
	fieldSeparator = 1
)

// New returns an empty index.
func New() *Index { return &Index{providers: map[domain.ProviderID]*providerTexts{}} }

// Text returns the searchable text of a subscriber: the folded name and e-mail address, the
// document and the digits of the telephone number, separated by \x01.
func Text(s domain.Subscriber) string {
	const field = string(rune(fieldSeparator))
	return domain.Fold(s.Name) + field + domain.Fold(s.Email) + field + string(s.Document) + field + cpf.OnlyDigits(s.Phone)
}

// ChangeTo returns the change that stores a subscriber.
func ChangeTo(s domain.Subscriber) Change { return Change{s.ID, Text(s)} }

// Apply applies committed changes. It must be called in the order of the commits. Changes of a
// provider that was never searched are dropped, because its first search reads them.
func (x *Index) Apply(changes []Change) {
	if len(changes) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, c := range changes {
		switch t := x.providers[c.ID.Provider()]; {
		case t == nil:
		case t.loaded:
			t.put(c)
		case t.pending != nil:
			t.pending[c.ID] = c
		}
	}
}

// Load fills the index with the subscribers of a provider unless it already has them. read calls
// add for each subscriber in ascending order of id. Changes applied while read runs override what
// it added. Loads of one provider wait for each other, until the context ends. A load that fails
// leaves nothing behind.
func (x *Index) Load(ctx context.Context, p domain.ProviderID, read func(add func(domain.Subscriber)) error) error {
	t := x.textsOf(p)
	select {
	case t.loading <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-t.loading }()
	if !x.beginLoad(t) {
		return nil
	}
	fresh := &providerTexts{}
	err := read(func(s domain.Subscriber) { fresh.put(ChangeTo(s)) })
	x.mu.Lock()
	defer x.mu.Unlock()
	if err == nil {
		for _, id := range slices.Sorted(maps.Keys(t.pending)) {
			fresh.put(t.pending[id])
		}
		t.chunks, t.loaded = fresh.chunks, true
	}
	t.pending = nil
	return err
}

// textsOf returns the texts of a provider, which may not be loaded yet.
func (x *Index) textsOf(p domain.ProviderID) *providerTexts {
	x.mu.Lock()
	defer x.mu.Unlock()
	t := x.providers[p]
	if t == nil {
		t = &providerTexts{loading: make(chan struct{}, 1)}
		x.providers[p] = t
	}
	return t
}

// beginLoad starts to record changes, or returns false if the texts are already loaded.
func (x *Index) beginLoad(t *providerTexts) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !t.loaded {
		t.pending = map[domain.SubscriberID]Change{}
	}
	return !t.loaded
}

// Search returns the ids of the matching subscribers of a loaded provider in ascending order. It
// checks the context between two chunks.
func (x *Index) Search(ctx context.Context, p domain.ProviderID, term domain.SearchTerm) ([]domain.SubscriberID, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	t := x.providers[p]
	if t == nil {
		return nil, ctx.Err()
	}
	m := NewMatcher(term)
	each := max(chunksPerSearcher, (len(t.chunks)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	found := make([][]domain.SubscriberID, (len(t.chunks)+each-1)/each)
	var searching sync.WaitGroup
	for n := range found {
		chunks := t.chunks[n*each : min((n+1)*each, len(t.chunks))]
		searching.Go(func() { found[n] = m.search(ctx, chunks) })
	}
	searching.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return slices.Concat(found...), nil
}

// providerTexts holds the texts of one provider in ascending order of id, split into chunks, so
// that a change moves no more than a chunk and processors share a search.
type providerTexts struct {
	chunks  []*chunk
	loaded  bool
	loading chan struct{}                  // full while the texts are being read
	pending map[domain.SubscriberID]Change // last change of each subscriber since loading began; nil: not loading
}

// chunk holds the texts of some subscribers one after the other, each after an entryStart.
type chunk struct {
	text   []byte
	starts []uint32 // offsets of the entries in text
	ids    []domain.SubscriberID
}

const (
	chunkBytes        = 64 << 10 // a chunk of this size accepts no new subscribers
	chunkEntries      = 768      // usual number of subscribers in such a chunk
	chunksPerSearcher = 16       // fewer are not worth a goroutine
)

// put adds, replaces or removes the text of a subscriber.
func (t *providerTexts) put(c Change) {
	n, _ := slices.BinarySearchFunc(t.chunks, c.ID, func(k *chunk, id domain.SubscriberID) int { return cmp.Compare(k.ids[len(k.ids)-1], id) })
	switch {
	case n < len(t.chunks):
		if t.chunks[n].put(c); len(t.chunks[n].ids) == 0 {
			t.chunks = slices.Delete(t.chunks, n, n+1)
		}
	case c.Text == "":
	case n > 0 && len(t.chunks[n-1].text) < chunkBytes:
		t.chunks[n-1].put(c)
	default:
		k := &chunk{make([]byte, 0, chunkBytes+1024), make([]uint32, 0, chunkEntries), make([]domain.SubscriberID, 0, chunkEntries)}
		k.put(c)
		t.chunks = append(t.chunks, k)
	}
}

func (k *chunk) put(c Change) {
	i, found := slices.BinarySearch(k.ids, c.ID)
	var entry []byte
	if c.Text != "" {
		entry = append(append(make([]byte, 0, 1+len(c.Text)), entryStart), c.Text...)
	}
	from, to := k.start(i), k.start(i)
	if found {
		to = k.start(i + 1)
	}
	k.text = slices.Replace(k.text, from, to, entry...)
	switch {
	case found && entry == nil:
		k.ids, k.starts = slices.Delete(k.ids, i, i+1), slices.Delete(k.starts, i, i+1)
	case !found && entry != nil:
		k.ids, k.starts = slices.Insert(k.ids, i, c.ID), slices.Insert(k.starts, i, uint32(from))
		i++
	case found:
		i++
	}
	for ; i < len(k.starts); i++ {
		k.starts[i] = uint32(int(k.starts[i]) + len(entry) - (to - from))
	}
}

// start returns the offset of entry i; for i = number of entries, the end of the text.
func (k *chunk) start(i int) int {
	if i == len(k.starts) {
		return len(k.text)
	}
	return int(k.starts[i])
}
