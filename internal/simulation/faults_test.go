package simulation_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
)

// planted returns the faults that can be planted to test the invariants, wrappers that misbehave,
// each with the invariants that detect it.
func planted() map[string][]string {
	return map[string][]string{
		"acknowledged before the commit":    {acknowledged, importExact},
		"a crash loses the write-ahead log": {acknowledged, importExact},
		"a service is forgotten":            {importExact},
		"an e-mail is forgotten":            {deliveriesMade},
		"outcomes are not written":          {deliveriesMade},
		"last come, first served":           {limitHolds},
		"three more than the limit":         {limitHolds},
		"a link is not marked as used":      {linksOnce},
		"a transition is wrong":             {statesLegal},
		"an event is written twice":         {retriesOnce},
		"the feed skips an event":           {feedInOrder},
		"the feed shows another status":     {reportedTrue},
		"requests lose their keys":          {retriesOnce, reportedTrue},
		"another's subscribers are listed":  {apart},
		"headers are logged":                {noSecret},
		"an output takes an hour":           {allEnds},
		"due schedules are forgotten":       {scheduledOnce},
		"one refusal ends a delivery":       {deliveriesMade},
		"an output always says success":     {reportedTrue},
		"families are ignored":              {oneOfFamily},
		"a resumed run sends another file":  {importExact},
		"a repeated import is another run":  {reportedTrue},
		"a journal holds the token":         {noSecret},
		"claimed deliveries are put back":   {deliveriesMade},
		"the second of a group is not done": {acknowledged, importExact, reportedTrue},
	}
}

// faults plants one fault, or none if the name is empty.
type faults struct {
	w      *week
	name   string
	slowed bool
}

func (f *faults) is(name string, probability float64) bool {
	return f.name == name && f.w.chance.happens("fault", probability)
}

var errPlanted = errors.New("a planted fault")

func (f *faults) update(ctx context.Context, s servicetest.Store, p domain.ProviderID, fn func(context.Context, rules.Tx) error) error {
	undo := f.is("acknowledged before the commit", 0.1)
	err := s.Update(ctx, p, func(ctx context.Context, tx rules.Tx) error {
		err := fn(ctx, &faultyTx{tx, f, f.w.isShared(tx)})
		if err == nil && undo {
			err = errPlanted
		}
		return err
	})
	if errors.Is(err, errPlanted) {
		err = nil
	}
	return err
}

type faultyTx struct {
	rules.Tx
	f      *faults
	shared bool // with the write before
}

func (t *faultyTx) Provider() domain.Provider {
	p := t.Tx.Provider()
	if t.f.name == "three more than the limit" {
		p.Limit += 3
	}
	return p
}

func (t *faultyTx) SaveProvider(ctx context.Context, p domain.Provider) error {
	if t.f.name == "three more than the limit" {
		p.Limit -= 3
	}
	return t.Tx.SaveProvider(ctx, p)
}

func (t *faultyTx) Queue(ctx context.Context, n int) ([]domain.Service, error) {
	if t.f.name != "last come, first served" {
		return t.Tx.Queue(ctx, n)
	}
	all, err := t.Tx.Queue(ctx, 10_000)
	slices.Reverse(all)
	return all[:min(n, len(all))], err
}

func (t *faultyTx) Products(ctx context.Context) (map[int]domain.Offer, error) {
	all, err := t.Tx.Products(ctx)
	if t.f.name == "families are ignored" {
		all = maps.Clone(all)
		for id, o := range all {
			o.Family = ""
			all[id] = o
		}
	}
	return all, err
}

func (t *faultyTx) Write(ctx context.Context, c rules.Changes) error {
	if t.shared && t.f.name == "the second of a group is not done" {
		return nil
	}
	if len(c.NewServices) > 1 && t.f.is("a service is forgotten", 0.5) {
		c.NewServices = c.NewServices[1:]
	}
	c.NewDeliveries = slices.DeleteFunc(slices.Clone(c.NewDeliveries), func(j domain.Delivery) bool {
		return j.Kind == domain.EmailDelivery && t.f.is("an e-mail is forgotten", 0.2)
	})
	c.Events = t.faultyEvents(c.Events)
	return t.Tx.Write(ctx, c)
}

func (t *faultyTx) faultyEvents(all []domain.Event) []domain.Event {
	all = slices.Clone(all)
	for i, e := range all {
		if e.Status == domain.Active && t.f.is("a transition is wrong", 0.5) {
			all[i].Status = domain.Suspended
		}
		if i > 0 && e.Type == domain.StatusChanged && all[i-1].Type == e.Type && t.f.name == "an event is written twice" {
			all[i] = all[i-1]
			all[i].ID = e.ID
		}
	}
	return all
}

func (t *faultyTx) MarkLinkUsed(ctx context.Context, hash [32]byte, at time.Time) error {
	if t.f.name == "a link is not marked as used" {
		return nil
	}
	return t.Tx.MarkLinkUsed(ctx, hash, at)
}

func (f *faults) claimDeliveries(ctx context.Context, s servicetest.Store, to domain.Destination, n int, due, until time.Time) ([]domain.Delivery, error) {
	deliveries, err := s.ClaimDeliveries(ctx, to, n, due, until)
	for _, j := range deliveries {
		f.w.countClaim(j.ID)
	}
	if err != nil || !f.is("claimed deliveries are put back", 0.95) {
		return deliveries, err
	}
	for i := range deliveries {
		deliveries[i].State, deliveries[i].NextAt = domain.OutboxDue, due
	}
	return nil, s.FinishDeliveries(ctx, deliveries, nil)
}

func (f *faults) finishDeliveries(ctx context.Context, s servicetest.Store, deliveries []domain.Delivery, links []domain.Link) error {
	if len(deliveries) > 0 && f.is("outcomes are not written", 0.7) {
		deliveries = nil
	}
	for i, j := range deliveries {
		if f.name == "one refusal ends a delivery" && j.Kind == domain.EmailDelivery && j.State == domain.OutboxDue && j.LastError != "" {
			deliveries[i].State = domain.OutboxDead
		}
	}
	return s.FinishDeliveries(ctx, deliveries, links)
}

func (f *faults) feed(before domain.FeedCallback, c *domain.FeedCallback) {
	if c.Cursor > before.Cursor && f.is("the feed skips an event", 0.5) {
		c.Cursor++
	}
}

func (f *faults) events(ctx context.Context, s servicetest.Store, p domain.ProviderID, after domain.EventID, limit int) ([]domain.Event, error) {
	all, err := s.Events(ctx, p, after, limit)
	for i := range all {
		if f.name == "the feed shows another status" && all[i].Type == domain.StatusChanged {
			all[i].Status = domain.Overdue
		}
	}
	return all, err
}

func (f *faults) owner(p domain.ProviderID) domain.ProviderID {
	if f.name == "another's subscribers are listed" {
		for _, other := range f.w.providers {
			if other.id != p {
				return other.id
			}
		}
	}
	return p
}

func (f *faults) handler(h http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.name == "requests lose their keys" {
			r.Header.Del("Idempotency-Key")
			if f.is(f.name, 0.2) { // and the answer is lost
				h.ServeHTTP(httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler)
			}
		}
		if f.name == "headers are logged" {
			log.Info("request", "header", r.Header)
		}
		h.ServeHTTP(w, r)
	})
}

// repeatImport runs before an import is typed again.
func (f *faults) repeatImport(p *provider, file string) {
	switch f.name {
	case "a resumed run sends another file":
		text := string(p.files()[file]) + string(cpf.WithCheckDigits("900000000")) + ";Outra Pessoa;outra@example.com;+5511987654321;\n"
		f.w.must(os.WriteFile(file, []byte(text), 0o600))
	case "a repeated import is another run":
		f.w.must(os.RemoveAll(filepath.Join(p.home, "ativa"))) // its journals
	case "a journal holds the token":
		f.w.must(os.WriteFile(filepath.Join(p.home, "run.jsonl"), []byte(p.token), 0o600))
	}
}

// out is the output of a command.
func (f *faults) out(w io.Writer) io.Writer {
	return writer(func(b []byte) (int, error) {
		switch {
		case f.name == "an output always says success":
			b = bytes.ReplaceAll(b, []byte(`"partial"`), []byte(`"success"`))
		case f.name == "an output takes an hour" && !f.slowed:
			f.slowed = true
			<-time.After(time.Hour)
		}
		return w.Write(b)
	})
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }
