package provision

import (
	"context"
	"slices"

	"ativa/internal/cpf"
)

// Registration is one row of an import: a subscriber and the products to
// activate if the subscriber is new.
type Registration struct {
	Fields
	Products []int
}

// ImportKind is what became of one row of an import.
type ImportKind string

// The results of decisions.md 3.
const (
	ImportCreated   ImportKind = "created"
	ImportExisting  ImportKind = "existing"
	ImportDuplicate ImportKind = "duplicate"
	ImportFailed    ImportKind = "failed"
)

// ImportResult is the outcome of one row, in the order of the request.
type ImportResult struct {
	Document    string // digits, or what was sent when it is not a document
	Kind        ImportKind
	Services    []ImportService
	Differs     []string // existing: the fields in which the row differs
	DuplicateOf int      // duplicate: the index of the first row
	Errors      []FieldError
}

// ImportService is a service that the import started.
type ImportService struct {
	ProductID     int
	Status        Status
	QueuePosition int // from 1, in status limitReached; else 0

	operation OperationID
}

// Import registers subscribers and activates the products of the new ones.
// Every row is atomic: it is registered with all its products or not at all
// (decisions.md 3).
func (m *Manager) Import(ctx context.Context, call Call, rows []Registration) ([]ImportResult, error) {
	if err := checkItems(len(rows), "subscribers"); err != nil {
		return nil, err
	}
	var results []ImportResult
	err := m.write(ctx, call, func(ctx context.Context, u *unit) (any, error) {
		i := &importer{unit: u, rows: rows, results: make([]ImportResult, len(rows))}
		err := i.run(ctx)
		results = i.results
		return &results, err
	})
	return results, err
}

// importer is one import request.
type importer struct {
	*unit
	rows    []Registration
	results []ImportResult
	checked []Subscriber // by row; zero for failed ones
	fresh   []int        // rows to insert, in order
}

func (i *importer) run(ctx context.Context) error {
	if err := i.loadOffers(ctx); err != nil {
		return err
	}
	if err := i.check(ctx); err != nil {
		return err
	}
	i.findDuplicates()
	existing, err := i.insert(ctx)
	if err != nil {
		return err
	}
	if err := i.compare(ctx, existing); err != nil {
		return err
	}
	for _, row := range i.fresh {
		if err := i.activate(row); err != nil {
			return err
		}
	}
	return i.queuePositions(ctx)
}

// check validates every row by itself.
func (i *importer) check(ctx context.Context) error {
	speeds, err := i.tx.SpeedIDs(ctx)
	if err != nil {
		return err
	}
	i.checked = make([]Subscriber, len(i.rows))
	for n, row := range i.rows {
		s, bad := row.check(Subscriber{CreatedAt: i.now}, speeds, false)
		if e := i.checkProducts(row.Products); e != nil {
			bad = append(bad, *e)
		}
		i.results[n] = ImportResult{Document: string(s.Document)}
		if s.Document == "" {
			i.results[n].Document = cpf.Plain(row.Document.Value)
		}
		if len(bad) > 0 {
			i.results[n].Kind, i.results[n].Errors = ImportFailed, bad
			continue
		}
		i.checked[n] = s
	}
	return nil
}

func (i *importer) checkProducts(ids []int) *FieldError {
	families := map[string]int{}
	for _, id := range ids {
		offer, ok := i.offers[id]
		switch {
		case !ok || !offer.Granted:
			return &FieldError{"products_ids", UnknownProduct, "a product does not exist or is not sold by this provider"}
		case !offer.Active:
			return &FieldError{"products_ids", ProductInactive, "a product is not active"}
		case offer.Can&CanActivate == 0:
			return &FieldError{"products_ids", ActionNotAllowed, "a product cannot be activated"}
		}
		if other, taken := families[offer.Family]; taken && other != id && offer.Family != "" {
			return &FieldError{"products_ids", FamilyConflict, "two products are of one family"}
		}
		families[offer.Family] = id
	}
	return nil
}

// findDuplicates lets the first row of a document win; the rest are the rows to insert.
func (i *importer) findDuplicates() {
	first := make(map[cpf.Document]int, len(i.rows))
	for n, s := range i.checked {
		if i.results[n].Kind == ImportFailed {
			continue
		}
		f, seen := first[s.Document]
		switch {
		case !seen:
			first[s.Document] = n
			i.fresh = append(i.fresh, n)
		case s == i.checked[f] && slices.Equal(distinct(i.rows[n].Products), distinct(i.rows[f].Products)):
			i.results[n].Kind, i.results[n].DuplicateOf = ImportDuplicate, f
		default:
			i.results[n].Kind, i.results[n].DuplicateOf = ImportFailed, f
			i.results[n].Errors = []FieldError{{"document", DuplicateInRequest, "the document stands in an earlier row with other data"}}
		}
	}
}

func distinct(ids []int) []int {
	return slices.Compact(slices.Sorted(slices.Values(ids)))
}

// insert registers the rows and returns the documents that existed already.
func (i *importer) insert(ctx context.Context) (map[cpf.Document]bool, error) {
	if len(i.fresh) == 0 {
		return nil, nil
	}
	subscribers := make([]Subscriber, len(i.fresh))
	before := i.provider.Subscribers
	for n, row := range i.fresh {
		i.checked[row].ID = i.provider.nextSubscriber()
		subscribers[n] = i.checked[row]
	}
	existing, err := i.tx.InsertSubscribers(ctx, subscribers)
	if err != nil || len(existing) == 0 {
		return nil, err
	}
	if len(existing) == len(i.fresh) {
		i.provider.Subscribers = before
		return existing, nil
	}
	var skipped []SubscriberID
	for _, s := range subscribers {
		if existing[s.Document] {
			skipped = append(skipped, s.ID)
		}
	}
	return existing, i.tx.SkipSubscribers(ctx, skipped)
}

// compare reports the rows that exist already, and leaves the new ones in fresh.
func (i *importer) compare(ctx context.Context, existing map[cpf.Document]bool) error {
	if len(existing) == 0 {
		return nil
	}
	documents := make([]cpf.Document, 0, len(existing))
	for d := range existing {
		documents = append(documents, d)
	}
	known, err := i.tx.Subscribers(ctx, documents)
	if err != nil {
		return err
	}
	i.fresh = slices.DeleteFunc(i.fresh, func(row int) bool {
		s := i.checked[row]
		if !existing[s.Document] {
			return false
		}
		i.results[row].Kind = ImportExisting
		i.results[row].Differs = i.rows[row].differs(s, known[s.Document])
		return true
	})
	return nil
}

// differs names the fields that were sent and are not what the subscriber has.
func (f Fields) differs(sent, has Subscriber) []string {
	var names []string
	for _, d := range []struct {
		field string
		is    bool
	}{
		{"name", sent.Name != has.Name},
		{"email", sent.Email != has.Email},
		{"phone", sent.Phone != has.Phone},
		{"internet_speed_id", f.SpeedID.Set && sent.SpeedID != has.SpeedID},
		{"customer_plan", f.Plan.Set && sent.Plan != has.Plan},
	} {
		if d.is {
			names = append(names, d.field)
		}
	}
	return names
}

func (i *importer) activate(row int) error {
	id := i.checked[row].ID
	c := i.because("import")
	i.record(SubscriberCreated, id, c)
	var have []*Service
	r := &i.results[row]
	r.Kind = ImportCreated
	for n, product := range i.rows[row].Products {
		if slices.Contains(i.rows[row].Products[:n], product) {
			continue
		}
		s, refused := i.start(id, product, have, c)
		if refused != nil {
			return refused
		}
		have = append(have, s)
		r.Services = append(r.Services, ImportService{ProductID: product, Status: s.Status, operation: s.Operation})
	}
	return nil
}

func (i *importer) queuePositions(ctx context.Context) error {
	var waiting []OperationID
	for _, r := range i.results {
		for _, s := range r.Services {
			if s.Status == LimitReached {
				waiting = append(waiting, s.operation)
			}
		}
	}
	places, err := i.places(ctx, waiting)
	for _, r := range i.results {
		for n := range r.Services {
			r.Services[n].QueuePosition = places[r.Services[n].operation]
		}
	}
	return err
}
