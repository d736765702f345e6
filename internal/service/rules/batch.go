package rules

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// MaxItems is the maximum number of documents of a batch and of rows of an
// import (decisions.md 3, 4).
const MaxItems = 5000

// ResultKind says how one element of a batch or an import ended.
type ResultKind string

// The results of decisions.md 3 (created, existing, duplicate, failed) and 4.
const (
	ResultCreated   ResultKind = "created"
	ResultExisting  ResultKind = "existing"
	ResultDuplicate ResultKind = "duplicate"
	ResultAccepted  ResultKind = "accepted"
	ResultUnchanged ResultKind = "unchanged"
	ResultFailed    ResultKind = "failed"
)

// Result is the outcome of one element of a batch. It is stored under idempotency keys, so its
// field names must not change.
type Result struct {
	Document      string // digits, or the input if it is not a document
	Kind          ResultKind
	Status        domain.Status // after the request; NoService when there is none
	Previous      domain.Status // before the request
	QueuePosition int           // 1 or more in status limitReached, else 0
	Code          domain.Code   // when failed
	Detail        string
	// Operation is the service's latest operation; in an accepted result, the one that the request
	// began.
	Operation domain.OperationID
	// Schedule is the schedule that was made, and Replaced whether it replaced another.
	Schedule domain.ScheduleID
	Replaced bool
}

func (r Result) failed() bool { return r.Kind == ResultFailed }

// failed returns the result of an element that is refused.
func failed(doc string, err *domain.Error, status domain.Status) Result {
	return Result{Document: doc, Kind: ResultFailed, Status: status, Previous: status, Code: err.Code, Detail: err.Error()}
}

// Provision applies a request for one product to the subscribers with the documents and returns a
// result for each, in order. Each document is atomic: a failure does not undo the others. If the
// request itself is wrong, Provision returns an *Error and changes nothing.
func (e *Engine) Provision(ctx context.Context, call Call, req domain.Request, productID int, documents []string) ([]Result, error) {
	return e.batch(ctx, call, batch{req: req}, productID, documents)
}

// batch applies the request of a batch that has no unit of work yet.
func (e *Engine) batch(ctx context.Context, call Call, of batch, productID int, documents []string) ([]Result, error) {
	if err := checkItems(len(documents), "documents"); err != nil {
		return nil, err
	}
	p := &splitRequest[Result]{call: call, elements: len(documents)}
	p.processChunk = func(ctx context.Context, u *unitOfWork, done []Result, end int) ([]Result, error) {
		b := of
		b.unitOfWork, b.cause = u, u.causedBy(of.req.String())
		chunk := documents[len(done):end]
		results := make([]Result, len(chunk))
		err := b.load(ctx, productID, chunk)
		if refused, later := refusedLater(err, len(done)); later {
			for i, d := range chunk {
				results[i] = failed(cpf.StripPunctuation(d), refused, domain.NoService)
			}
			return results, nil
		}
		if err != nil {
			return nil, err
		}
		if len(documents) == 1 {
			only, _ := parseDocument(documents[0])
			u.onlySubscriber = b.subscribers[only]
		}
		for i, d := range chunk {
			results[i] = b.handle(d)
		}
		if !b.at.IsZero() {
			return results, nil
		}
		return results, u.queuePositions(ctx, results)
	}
	return p.run(ctx, e)
}

func checkItems(n int, field string) error {
	switch {
	case n == 0:
		return &domain.Error{Code: domain.ValidationFailed, Message: field + " is empty",
			Fields: []domain.FieldError{{Field: field, Code: "required", Message: "at least one element"}}}
	case n > MaxItems:
		return &domain.Error{Code: domain.TooManyItems, Message: "more than 5,000 elements in one request; send several"}
	}
	return nil
}

// batch is one chunk of a batch request.
type batch struct {
	*unitOfWork
	req         domain.Request
	at          time.Time // when to do it; zero: now
	product     domain.Product
	cause       cause
	subscribers map[cpf.Document]domain.SubscriberID
	tokens      map[domain.SubscriberID][]*domain.Service
}

// load reads the rows that the documents of the chunk need.
func (b *batch) load(ctx context.Context, productID int, documents []string) error {
	if err := b.checkTime(); err != nil {
		return err
	}
	if err := b.loadOffers(ctx); err != nil {
		return err
	}
	product, err := b.requestedProduct(productID)
	if err != nil {
		return err
	}
	b.product = product
	wanted := make([]cpf.Document, 0, len(documents))
	for _, s := range documents {
		if d, err := parseDocument(s); err == nil {
			wanted = append(wanted, d)
		}
	}
	if b.subscribers, err = b.tx.SubscriberIDs(ctx, wanted); err != nil {
		return err
	}
	if b.tokens, err = b.services(ctx, slices.Sorted(maps.Values(b.subscribers))); err != nil {
		return err
	}
	return b.loadWaiting(ctx)
}

func parseDocument(s string) (cpf.Document, *domain.Error) {
	d, err := cpf.Parse(s)
	if bad, ok := errors.AsType[*cpf.Error](err); ok {
		return "", &domain.Error{Code: domain.Code(bad.Code), Message: bad.Message}
	}
	return d, nil
}

// requestedProduct returns the product, or the error that refuses every element. Only activations
// need a product that is granted and active, so services of a product that is no longer sold can
// still be ended.
func (b *batch) requestedProduct(id int) (domain.Product, error) {
	offer, exists := b.offers[id]
	activate := b.req == domain.RequestActivate
	switch {
	case !exists, activate && !offer.Granted:
		return domain.Product{}, &domain.Error{Code: domain.UnknownProduct, Message: "the product does not exist or is not sold by this provider"}
	case activate && !offer.Active:
		return domain.Product{}, &domain.Error{Code: domain.ProductInactive, Message: "the product is not active"}
	case offer.Can&b.requiredActions() == 0 && b.requiredActions() != 0:
		return domain.Product{}, &domain.Error{Code: domain.ActionNotAllowed, Message: "the product does not allow this action"}
	}
	return offer.Product, nil
}

// requiredActions returns a set of actions; the product must allow one of them. 0: none required.
func (b *batch) requiredActions() domain.Action {
	switch b.req {
	case domain.RequestActivate:
		return domain.CanActivate | domain.CanReactivate | domain.CanChangeTo
	case domain.RequestSuspend, domain.RequestOverdue:
		return domain.CanSuspend
	case domain.RequestDeactivate:
		return domain.CanDeactivate
	}
	return 0
}

// handle applies the request to one document.
func (b *batch) handle(doc string) Result {
	d, err := parseDocument(doc)
	if err != nil {
		return failed(cpf.StripPunctuation(doc), err, domain.NoService)
	}
	doc = string(d)
	id, ok := b.subscribers[d]
	if !ok {
		return failed(doc, domain.Refuse(domain.SubscriberNotFound), domain.NoService)
	}
	if !b.at.IsZero() {
		return b.schedule(doc, id)
	}
	return b.perform(doc, id)
}

// perform applies the request to one subscriber.
func (b *batch) perform(doc string, id domain.SubscriberID) Result {
	if b.req == domain.RequestActivate {
		return b.activate(doc, id)
	}
	s := tokenOf(b.tokens[id], b.product.ID)
	if s == nil {
		return failed(doc, domain.Refuse(domain.ServiceNotFound), domain.NoService)
	}
	r := b.applyTrigger(doc, s, b.req.Trigger(), Facts{})
	if !r.failed() {
		b.cancelOverruled(s)
	}
	return r
}

// tokenOf returns the live token of the product, else its last ended one, else nil.
func tokenOf(tokens []*domain.Service, product int) *domain.Service {
	var last *domain.Service
	for _, s := range tokens {
		if s.ProductID == product && (last == nil || last.Status.Ended()) {
			last = s
		}
	}
	return last
}

var errNotActivatable = &domain.Error{Code: domain.ActionNotAllowed, Message: "the product cannot be activated"}

// activate activates or reactivates the product, or changes a live token of its family to it,
// depending on the subscriber's tokens.
func (b *batch) activate(doc string, id domain.SubscriberID) Result {
	have := b.tokens[id]
	if s := tokenOf(have, b.product.ID); s != nil && !s.Status.Ended() {
		return b.applyTrigger(doc, s, domain.ActivateSame, Facts{})
	}
	if s := b.familyToken(have); s != nil {
		return b.changeProduct(doc, s, domain.ActivateFamily, b.product)
	}
	if b.product.Can&domain.CanActivate == 0 {
		return failed(doc, errNotActivatable, domain.NoService)
	}
	s, refused := b.start(id, b.product.ID, have, b.cause)
	if refused != nil {
		return failed(doc, refused, domain.NoService)
	}
	b.tokens[id] = append(have, s)
	return Result{Document: doc, Kind: ResultAccepted, Status: s.Status, Operation: s.Operation}
}

// familyToken returns the live token of another product of the family, or nil.
func (b *batch) familyToken(tokens []*domain.Service) *domain.Service {
	for _, s := range tokens {
		if !s.Status.Ended() && b.product.Family != "" && b.offers[s.ProductID].Family == b.product.Family {
			return s
		}
	}
	return nil
}

// changeProduct applies trigger t, which replaces the token's product with to.
func (b *batch) changeProduct(doc string, s *domain.Service, t domain.Trigger, to domain.Product) Result {
	from := s.ProductID
	f := Facts{Replaceable: to.Replaces(b.offers[from].Product)}
	switch s.Status {
	case domain.Changed:
		f.SameTarget = s.ProductID == to.ID
	case domain.InError:
		f.SameTarget = s.OtherProductID == to.ID
	}
	previous := s.OtherProductID
	if b.decide(s, t, f).Verdict() == Moves { // move expects the new product to be set
		s.ProductID, s.OtherProductID = to.ID, from
	}
	r := b.applyTrigger(doc, s, t, f)
	if r.Kind == ResultFailed {
		s.ProductID, s.OtherProductID = from, previous
	}
	return r
}

// applyTrigger applies the trigger to a token and returns the result.
func (b *batch) applyTrigger(doc string, s *domain.Service, t domain.Trigger, f Facts) Result {
	before := s.Status
	out := b.decide(s, t, f)
	switch {
	case t != domain.ActivateSame || out.Verdict() != Moves:
	case out.To == domain.Reactivated && b.product.Can&domain.CanReactivate == 0:
		return failed(doc, &domain.Error{Code: domain.ActionNotAllowed, Message: "the product cannot be reactivated"}, before)
	case out.To != domain.Reactivated && b.product.Can&domain.CanActivate == 0: // a failed activation
		return failed(doc, errNotActivatable, before)
	}
	switch out = b.apply(s, t, f, b.cause); out.Verdict() {
	case Refuses:
		return failed(doc, domain.Refuse(out.Refuse), before)
	case Stays:
		return Result{Document: doc, Kind: ResultUnchanged, Status: s.Status, Previous: before, Operation: s.Operation}
	}
	return Result{Document: doc, Kind: ResultAccepted, Status: s.Status, Previous: before, Operation: s.Operation}
}
