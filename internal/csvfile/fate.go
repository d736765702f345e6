package csvfile

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"ativa/internal/api"
)

// fate is what other lines with the same document mean for a row.
type fate struct {
	line int
	kind fateKind
	// cited is the line that the fate comes from.
	cited int
	// set and lines are the union of a leader.
	set   uint32
	lines []int
}

type fateKind uint8

const (
	// leads: other lines were merged into this one.
	leads fateKind = iota + 1
	// merged: equal to the cited line but for the product.
	merged
	// duplicate: differs from the cited line.
	duplicate
	// heldBack: the cited line has the same document and is wrong. Both must
	// be imported together, because products of a subscriber that exists
	// already are not activated (api.md, Subscribers, rule 1).
	heldBack
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

// decide gives the fates of the lines of one document.
func (s *productSets) decide(group []entry) []fate {
	if i := slices.IndexFunc(group, entry.wrong); i >= 0 {
		var fates []fate
		for _, e := range group {
			if !e.wrong() {
				fates = append(fates, fate{line: e.line(), kind: heldBack, cited: group[i].line()})
			}
		}
		return fates
	}
	first := group[0]
	leader := fate{line: first.line(), kind: leads, set: first.set(), lines: []int{first.line()}}
	var fates []fate
	for _, e := range group[1:] {
		if e.fingerprint() != first.fingerprint() {
			fates = append(fates, fate{line: e.line(), kind: duplicate, cited: first.line()})
			continue
		}
		fates = append(fates, fate{line: e.line(), kind: merged, cited: first.line()})
		leader.set = s.union(leader.set, e.set())
		leader.lines = append(leader.lines, e.line())
	}
	if len(leader.lines) > 1 {
		fates = append(fates, leader)
	}
	return fates
}

func sortFates(fates []fate) {
	slices.SortFunc(fates, func(a, b fate) int { return cmp.Compare(a.line, b.line) })
}
