package store

import (
	"bytes"
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"ativa/internal/cpf"
	"ativa/internal/provision"
)

// index holds what can be searched of every subscriber, folded, in memory:
// about 100 bytes each. It is filled at the first search of a provider and kept
// up to date after each commit. Only the exclusive opener of a file has one,
// for another process could change the file unseen.
type index struct {
	mu        sync.RWMutex
	providers map[provision.ProviderID]*texts
}

// texts are the searchable texts of one provider in ascending order of id, in
// parts: so that nothing large is ever copied, and processors share a search.
type texts struct {
	parts  []*part
	loaded bool
	early  []textChange // commits that came while the text was read
}

// part is some subscribers' texts, one after the other, each as \x00 name
// \x01 e-mail \x01 document \x01 telephone.
type part struct {
	text   []byte
	starts []uint32
	ids    []provision.SubscriberID
}

// A part takes new subscribers up to this size; the others are what that
// usually is in subscribers, and how many parts are worth a second processor.
const (
	partBytes   = 64 << 10
	partEntries = 768
	partsEach   = 16
)

// textChange is what a commit does to the text of a subscriber; an empty text
// takes it out.
type textChange struct {
	id   provision.SubscriberID
	text string
}

const (
	entryMark = 0
	fieldMark = 1
)

func newIndex() *index { return &index{providers: map[provision.ProviderID]*texts{}} }

func textOf(s provision.Subscriber) textChange {
	const field = string(rune(fieldMark))
	return textChange{s.ID, provision.Fold(s.Name) + field + provision.Fold(s.Email) + field + string(s.Document) + field + cpf.OnlyDigits(s.Phone)}
}

// apply takes over what was committed, in the order of the commits.
func (x *index) apply(changes []textChange) {
	if len(changes) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, c := range changes {
		switch t := x.providers[c.id.Provider()]; {
		case t == nil: // nobody has searched yet
		case !t.loaded:
			t.early = append(t.early, c)
		default:
			t.put(c)
		}
	}
}

// put replaces the text of a subscriber, or adds or removes it.
func (t *texts) put(c textChange) {
	n, _ := slices.BinarySearchFunc(t.parts, c.id, func(p *part, id provision.SubscriberID) int { return cmp.Compare(p.ids[len(p.ids)-1], id) })
	switch {
	case n < len(t.parts):
		if t.parts[n].put(c); len(t.parts[n].ids) == 0 {
			t.parts = slices.Delete(t.parts, n, n+1)
		}
	case c.text == "":
	case n > 0 && len(t.parts[n-1].text) < partBytes:
		t.parts[n-1].put(c)
	default:
		p := &part{make([]byte, 0, partBytes+1024), make([]uint32, 0, partEntries), make([]provision.SubscriberID, 0, partEntries)}
		p.put(c)
		t.parts = append(t.parts, p)
	}
}

func (p *part) put(c textChange) {
	i, found := slices.BinarySearch(p.ids, c.id)
	var entry []byte
	if c.text != "" {
		entry = append(append(make([]byte, 0, 1+len(c.text)), entryMark), c.text...)
	}
	from, to := p.start(i), p.start(i)
	if found {
		to = p.start(i + 1)
	}
	p.text = slices.Replace(p.text, from, to, entry...)
	switch {
	case found && entry == nil:
		p.ids, p.starts = slices.Delete(p.ids, i, i+1), slices.Delete(p.starts, i, i+1)
	case !found && entry != nil:
		p.ids, p.starts = slices.Insert(p.ids, i, c.id), slices.Insert(p.starts, i, uint32(from))
		i++
	case found:
		i++
	}
	for ; i < len(p.starts); i++ {
		p.starts[i] = uint32(int(p.starts[i]) + len(entry) - (to - from))
	}
}

// start is where the entry begins, or where the text ends.
func (p *part) start(i int) int {
	if i == len(p.starts) {
		return len(p.text)
	}
	return int(p.starts[i])
}

// search returns the ids of the matches in ascending order. The end of the
// context ends it between two parts.
func (t *texts) search(ctx context.Context, term provision.SearchTerm) ([]provision.SubscriberID, error) {
	m := matcherOf(term)
	each := max(partsEach, (len(t.parts)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	found := make([][]provision.SubscriberID, (len(t.parts)+each-1)/each)
	var searching sync.WaitGroup
	for n := range found {
		parts := t.parts[n*each : min((n+1)*each, len(t.parts))]
		searching.Go(func() { found[n] = m.search(ctx, parts) })
	}
	searching.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return slices.Concat(found...), nil
}

// matcher is a term as the texts are compared with it.
type matcher struct {
	words    [][]byte // the longest first: it is the rarest, as a rule
	whole    []byte
	digits   []byte   // empty when they are not looked for
	needles  [][]byte // a match has at least one of them
	anywhere bool     // whatever has a needle matches
}

func matcherOf(t provision.SearchTerm) *matcher {
	m := &matcher{whole: []byte(t.Whole), digits: []byte(t.Digits), anywhere: t.MatchesAnyField()}
	for _, w := range t.Words {
		m.words = append(m.words, []byte(w))
	}
	m.needles = m.words[:1:1]
	if !strings.Contains(t.Digits, t.Words[0]) && len(m.digits) > 0 {
		m.needles = append(m.needles, m.digits)
	}
	return m
}

func (m *matcher) search(ctx context.Context, parts []*part) (found []provision.SubscriberID) {
	for _, p := range parts {
		if ctx.Err() != nil {
			return nil
		}
		before := len(found)
		for _, needle := range m.needles {
			found = m.scan(p, needle, found)
		}
		if len(m.needles) > 1 {
			slices.Sort(found[before:])
			found = append(found[:before], slices.Compact(found[before:])...)
		}
	}
	return found
}

// scan looks at every entry in which the needle occurs.
func (m *matcher) scan(p *part, needle []byte, found []provision.SubscriberID) []provision.SubscriberID {
	for from := 0; ; {
		hit := bytes.Index(p.text[from:], needle)
		if hit < 0 {
			return found
		}
		i, exact := slices.BinarySearch(p.starts, uint32(from+hit))
		if !exact {
			i--
		}
		from = p.start(i + 1)
		if m.anywhere || m.matches(p.text[p.start(i):from]) {
			found = append(found, p.ids[i])
		}
	}
}

// matches compares an entry by decisions.md 6.
func (m *matcher) matches(entry []byte) bool {
	name, rest, _ := bytes.Cut(entry[1:], []byte{fieldMark})
	email, digits, _ := bytes.Cut(rest, []byte{fieldMark})
	if len(m.digits) > 0 && bytes.Contains(digits, m.digits) || bytes.Contains(email, m.whole) {
		return true
	}
	for _, w := range m.words {
		if !bytes.Contains(name, w) {
			return false
		}
	}
	return true
}
