package searchindex

import "ativa/internal/service/domain"

// Passes is how often a search of the term goes through a chunk of texts.
func Passes(t domain.SearchTerm) int { return len(NewMatcher(t).needles) }

// Pending is how many changes of a provider are kept for a load.
func (x *Index) Pending(p domain.ProviderID) int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.providers[p].pending)
}

// Chunks is how many chunks hold the texts of a provider, and how many bytes
// the largest of them has.
func (x *Index) Chunks(p domain.ProviderID) (n, largest int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, k := range x.providers[p].chunks {
		n, largest = n+1, max(largest, len(k.text))
	}
	return n, largest
}
