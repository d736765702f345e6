package csvfile

import (
	"encoding/binary"
	"fmt"
	"slices"

	"ativa/internal/api"
)

// productSets keeps each different list of products once.
type productSets struct {
	lists []api.List[api.Int]
	known map[string]uint32
	// err tells that there were more lists than can be numbered.
	err error
}

func newProductSets() *productSets {
	return &productSets{lists: make([]api.List[api.Int], 1), known: map[string]uint32{"": 0}}
}

// intern gives the number of a list.
func (s *productSets) intern(ids []api.Int) uint32 {
	var key [128]byte
	k := key[:0]
	for _, id := range ids {
		k = binary.LittleEndian.AppendUint64(k, uint64(id))
	}
	if n, ok := s.known[string(k)]; ok {
		return n
	}
	n := len(s.lists)
	if n >= maxSets {
		s.err = fmt.Errorf("the file has more than %d different lists of products", maxSets)
		return 0
	}
	s.known[string(k)] = uint32(n)
	s.lists = append(s.lists, slices.Clone(ids))
	return uint32(n)
}

// union adds the products of one list to another, in order.
func (s *productSets) union(a, b uint32) uint32 {
	ids := slices.Clone(s.lists[a])
	for _, id := range s.lists[b] {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return s.intern(ids)
}
