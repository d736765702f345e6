package rules

import (
	"context"
	"slices"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// Registration is one row of an import: a subscriber and the products to
// activate if the subscriber is new.
type Registration struct {
	Fields
	Products []int
	Wrong    []domain.FieldError // values of a wrong type, which fail the row
}

// ImportResult is the outcome of one row. It is stored as JSON under idempotency keys, so its
// field names must not change.
type ImportResult struct {
	Document    string // digits, or the input if it is not a document
	Kind        ResultKind
	Services    []ImportService
	Differs     []string // existing: the fields in which the row differs
	DuplicateOf int      // duplicate: the index of the first row
	Errors      []domain.FieldError
}

// ImportService is a service that the import started.
type ImportService struct {
	ProductID     int
	Status        domain.Status
	QueuePosition int // 1 or more in status limitReached, else 0

	operation domain.OperationID
}

func (r ImportResult) failed() bool { return r.Kind == ResultFailed }

// Import registers subscribers, activates the products of the new ones and
// returns a result for each row, in order. Each row is atomic: it is registered
// with all its products or not at all (decisions.md 3).
func (e *Engine) Import(ctx context.Context, call Call, rows []Registration) ([]ImportResult, error) {
	if len(rows) == 0 {
		return nil, emptyError("subscribers")
	}
	i := &importer{rows: rows, repeated: map[int]repeatedRow{}}
	return (&splitRequest[ImportResult]{call: call, elements: len(rows), processChunk: i.processChunk}).run(ctx, e)
}

// importer is one import request, processed chunk by chunk.
type importer struct {
	*unitOfWork
	rows     []Registration
	repeated map[int]repeatedRow // first rows that have duplicates, by index

	// The chunk that is processed.
	offset   int                  // index of its first row
	firstRow map[cpf.Document]int // index of the first valid row of each document, up to this chunk
	results  []ImportResult
	checked  []domain.Subscriber // zero for rows that are not new
	created  []int               // indexes in the chunk of the subscribers to insert
}

// repeatedRow is a valid row that later rows with the same document are compared with.
type repeatedRow struct {
	subscriber domain.Subscriber
	products   []int // distinct
}

// processChunk imports the rows from len(done) to end, exclusive.
func (i *importer) processChunk(ctx context.Context, u *unitOfWork, done []ImportResult, end int) ([]ImportResult, error) {
	i.unitOfWork, i.offset, i.created = u, len(done), nil
	i.results = make([]ImportResult, end-i.offset)
	i.firstRow = make(map[cpf.Document]int, end)
	for n, r := range done {
		if r.Kind == ResultCreated || r.Kind == ResultExisting {
			i.firstRow[cpf.Document(r.Document)] = n
		}
	}
	if err := i.loadOffers(ctx); err != nil {
		return nil, err
	}
	if err := i.loadSpeeds(ctx); err != nil {
		return nil, err
	}
	i.check()
	existing, err := i.insert(ctx)
	if err != nil {
		return nil, err
	}
	if err := i.compare(ctx, existing); err != nil {
		return nil, err
	}
	for _, n := range i.created {
		if err := i.activate(n); err != nil {
			return nil, err
		}
	}
	if len(i.rows) == 1 {
		i.onlySubscriber = i.checked[0].ID
	}
	return i.results, i.queuePositions(ctx)
}

// check validates every row of the chunk. Of several valid rows with the same document, the first
// counts.
func (i *importer) check() {
	i.checked = make([]domain.Subscriber, len(i.results))
	for n := range i.results {
		row, r := i.rows[i.offset+n], &i.results[n]
		s, bad := row.check(domain.Subscriber{}, i.speeds)
		if e := i.checkProducts(row.Products); e != nil {
			bad = append(bad, *e)
		}
		if row.Wrong != nil {
			bad = row.Wrong
		}
		r.Document = cpf.StripPunctuation(row.Document.Value)
		first, seen := i.firstRow[s.Document]
		switch {
		case len(bad) > 0:
			r.Kind, r.Errors = ResultFailed, bad
		case !seen:
			i.firstRow[s.Document] = i.offset + n
			s.CreatedAt = i.now
			i.checked[n] = s
			i.created = append(i.created, n)
		case i.repeats(first, s, row.Products):
			r.Kind, r.DuplicateOf = ResultDuplicate, first
		default:
			r.Kind, r.DuplicateOf = ResultFailed, first
			r.Errors = []domain.FieldError{{Field: "document", Code: domain.DuplicateInRequest, Message: "the document is in an earlier row with other data"}}
		}
	}
}

// repeats reports whether a row with these values says the same as the first row of its document.
func (i *importer) repeats(first int, s domain.Subscriber, products []int) bool {
	earlier, known := i.repeated[first]
	if !known { // once, because the row may be nearly as large as the request
		earlier.subscriber, _ = i.rows[first].check(domain.Subscriber{}, i.speeds)
		earlier.products = distinct(i.rows[first].Products)
		i.repeated[first] = earlier
	}
	return s == earlier.subscriber && slices.Equal(distinct(products), earlier.products)
}

func (i *importer) checkProducts(ids []int) *domain.FieldError {
	families := map[string]int{}
	for _, id := range ids {
		offer, ok := i.offers[id]
		switch {
		case !ok || !offer.Granted:
			return &domain.FieldError{Field: "products_ids", Code: domain.UnknownProduct, Message: "a product does not exist or is not sold by this provider"}
		case !offer.Active:
			return &domain.FieldError{Field: "products_ids", Code: domain.ProductInactive, Message: "a product is not active"}
		case offer.Can&domain.CanActivate == 0:
			return &domain.FieldError{Field: "products_ids", Code: domain.ActionNotAllowed, Message: "a product cannot be activated"}
		}
		if other, taken := families[offer.Family]; taken && other != id && offer.Family != "" {
			return &domain.FieldError{Field: "products_ids", Code: domain.FamilyConflict, Message: "two products are of one family"}
		}
		families[offer.Family] = id
	}
	return nil
}

// distinct returns the ids in ascending order without duplicates.
func distinct(ids []int) []int {
	return slices.Compact(slices.Sorted(slices.Values(ids)))
}

// insert registers the new rows and returns the documents that already exist. In a dry run it
// writes nothing and returns all documents, which may or may not exist.
func (i *importer) insert(ctx context.Context) ([]cpf.Document, error) {
	if len(i.created) == 0 {
		return nil, nil
	}
	subscribers, documents := make([]domain.Subscriber, len(i.created)), make([]cpf.Document, len(i.created))
	before := i.provider.Subscribers
	for at, n := range i.created {
		i.checked[n].ID = i.provider.NextSubscriber()
		subscribers[at], documents[at] = i.checked[n], i.checked[n].Document
	}
	if i.call.DryRun {
		return documents, nil
	}
	existing, err := i.tx.InsertSubscribers(ctx, subscribers)
	if err != nil || len(existing) == 0 {
		return nil, err
	}
	documents = slices.DeleteFunc(documents, func(d cpf.Document) bool { return !existing[d] })
	if len(existing) == len(i.created) {
		i.provider.Subscribers = before
	}
	return documents, nil
}

// compare sets the results of the rows whose document exists, and removes these rows from created.
func (i *importer) compare(ctx context.Context, documents []cpf.Document) error {
	if len(documents) == 0 {
		return nil
	}
	known, err := i.tx.Subscribers(ctx, documents)
	if err != nil {
		return err
	}
	i.created = slices.DeleteFunc(i.created, func(n int) bool {
		s := i.checked[n]
		has, exists := known[s.Document]
		if exists {
			i.checked[n].ID = has.ID
			i.results[n].Kind = ResultExisting
			i.results[n].Differs = i.rows[i.offset+n].differs(s, has)
		}
		return exists
	})
	return nil
}

// differs returns the names of the sent fields in which sent and has differ.
func (f Fields) differs(sent, has domain.Subscriber) []string {
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

// activate records the new subscriber of the chunk's row n and starts its products.
func (i *importer) activate(n int) error {
	id, products := i.checked[n].ID, i.rows[i.offset+n].Products
	c := i.causedBy("import")
	i.recordEvent(domain.SubscriberCreated, id, c)
	var have []*domain.Service
	r := &i.results[n]
	r.Kind = ResultCreated
	for at, product := range products {
		if slices.Contains(products[:at], product) {
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

// queuePositions sets the queue positions in the results of the chunk.
func (i *importer) queuePositions(ctx context.Context) error {
	var queued []domain.OperationID
	for _, r := range i.results {
		for _, s := range r.Services {
			if s.Status == domain.LimitReached {
				queued = append(queued, s.operation)
			}
		}
	}
	positions, err := i.positionsOf(ctx, queued)
	for _, r := range i.results {
		for n := range r.Services {
			r.Services[n].QueuePosition = positions[r.Services[n].operation]
		}
	}
	return err
}
