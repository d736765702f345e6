package store

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"

	"ativa/internal/cpf"
	"ativa/internal/provision"
)

// index holds what can be searched of every subscriber, folded, in memory:
// about 85 bytes each. It is filled at the first search of a provider and kept
// up to date after each commit. Only the exclusive opener of a file has one,
// for another process could change the file unseen.
type index struct {
	mu        sync.RWMutex
	providers map[provision.ProviderID]*texts
}

// texts are the searchable texts of one provider, one after the other, each
// as \x00 name \x01 e-mail \x01 document \x01 telephone.
type texts struct {
	text   []byte
	starts []uint32
	ids    []provision.SubscriberID
	sorted int                            // so many of the first ids ascend
	at     map[provision.SubscriberID]int // where a changed one stands now, gone for an erased one
	loaded bool
	early  []textChange // commits that came while the text was read
}

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
	return textChange{s.ID, provision.Fold(s.Name) + field + provision.Fold(s.Email) + field + string(s.Document) + field + cpf.Digits(s.Phone)}
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

// gone is the place of a subscriber that was taken out.
const gone = -1

// put replaces the text of a subscriber, or adds or removes it.
func (t *texts) put(c textChange) {
	if i, ok := t.find(c.id); ok {
		clear(t.entry(i)) // no term holds the zero byte
		t.at[c.id] = gone
	}
	if c.text == "" {
		return
	}
	if n := len(t.ids); t.sorted == n && (n == 0 || c.id > t.ids[n-1]) {
		t.sorted++
	} else {
		t.at[c.id] = n
	}
	t.ids = append(t.ids, c.id)
	t.starts = append(t.starts, uint32(len(t.text)))
	t.text = append(append(t.text, entryMark), c.text...)
}

// find returns the place of a subscriber: those that were changed are noted,
// the others stand in order of id.
func (t *texts) find(id provision.SubscriberID) (int, bool) {
	if i, ok := t.at[id]; ok {
		return i, i != gone
	}
	return slices.BinarySearch(t.ids[:t.sorted], id)
}

func (t *texts) entry(i int) []byte {
	end := len(t.text)
	if i+1 < len(t.starts) {
		end = int(t.starts[i+1])
	}
	return t.text[t.starts[i]:end]
}

// search returns the ids of the matches in ascending order.
func (t *texts) search(term provision.Term) []provision.SubscriberID {
	var found []provision.SubscriberID
	for _, needle := range needles(term) {
		found = t.scan([]byte(needle), term, found)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// needles are the texts of which a match has at least one: its name or the
// whole term in its e-mail has the longest word, or it has the digits.
func needles(term provision.Term) []string {
	longest := slices.MaxFunc(term.Words, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	if term.Digits == "" || strings.Contains(term.Digits, longest) {
		return []string{longest}
	}
	return []string{longest, term.Digits}
}

// scan looks at every entry in which the needle occurs.
func (t *texts) scan(needle []byte, term provision.Term, found []provision.SubscriberID) []provision.SubscriberID {
	anywhere := term.Anywhere()
	for from := 0; ; {
		hit := bytes.Index(t.text[from:], needle)
		if hit < 0 {
			return found
		}
		i, exact := slices.BinarySearch(t.starts, uint32(from+hit))
		if !exact {
			i--
		}
		if anywhere || matchesText(term, t.entry(i)) {
			found = append(found, t.ids[i])
		}
		if i+1 == len(t.starts) {
			return found
		}
		from = int(t.starts[i+1])
	}
}

func matchesText(term provision.Term, entry []byte) bool {
	name, rest, _ := bytes.Cut(entry[1:], []byte{fieldMark})
	email, digits, _ := bytes.Cut(rest, []byte{fieldMark})
	if term.Digits != "" && bytes.Contains(digits, []byte(term.Digits)) || bytes.Contains(email, []byte(term.Whole)) {
		return true
	}
	for _, w := range term.Words {
		if !bytes.Contains(name, []byte(w)) {
			return false
		}
	}
	return true
}
