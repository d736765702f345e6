package rules

import (
	"context"
	"time"
)

// RecordEntry is an entry of the operator's record (decisions.md 17): a command, what a
// provider did with its access tokens, or the requests that were refused of an address
// within an hour.
type RecordEntry struct {
	At        time.Time // the hour, for refused requests
	User      string    // of the operating system; of a provider, its name and that of the token
	Host      string
	Command   string // without arguments; of refused requests, method and path
	Arguments string // without secrets
	Failed    bool
	Address   string // of the client whose requests were refused
	Count     int    // how many; 1 for all else
}

// RecordCommand adds a command of the operator to the record.
func (m *Manager) RecordCommand(ctx context.Context, e RecordEntry) error {
	e.At, e.Arguments = m.Now(), MaskPersonal(e.Arguments)
	return m.store.AddRecord(ctx, e)
}

// maxRefused bounds the memory of what is counted until it is written. Further addresses
// are counted as one without a name.
const maxRefused = 10_000

// CountRefused counts a request that was refused of an address. [Manager.RecordRefused]
// writes it: no request waits for that.
func (m *Manager) CountRefused(address, request string) {
	m.keepRefused(RecordEntry{At: m.Now().Truncate(time.Hour), Address: address, Command: request, Failed: true}, 1)
}

func (m *Manager) keepRefused(e RecordEntry, n int) {
	e.Count = 0
	m.refused.Lock()
	defer m.refused.Unlock()
	if m.refused.counts == nil {
		m.refused.counts = map[RecordEntry]int{}
	}
	if m.refused.counts[e] == 0 && len(m.refused.counts) >= maxRefused {
		e.Address = ""
	}
	m.refused.counts[e] += n
}

// RecordRefused writes how many requests were refused. What could not be written is tried
// again the next time.
func (m *Manager) RecordRefused(ctx context.Context) error {
	m.refused.Lock()
	counts := m.refused.counts
	m.refused.counts = nil
	m.refused.Unlock()
	if len(counts) == 0 {
		return nil
	}
	entries := make([]RecordEntry, 0, len(counts))
	for e, n := range counts {
		e.Count = n
		entries = append(entries, e)
	}
	err := m.store.CountRefused(ctx, entries)
	if err != nil {
		for _, e := range entries {
			m.keepRefused(e, e.Count)
		}
	}
	return err
}
