package searchindex

import "ativa/internal/service/domain"

// Pending returns the number of a provider's changes that are kept for a load.
func (x *Index) Pending(p domain.ProviderID) int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.providers[p].pending)
}
