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
	// Operation is the service's latest operation. An accepted request began it, unless it waits for
	// the end of a running one.
	Operation domain.OperationID
	// Schedule is the schedule that was made, and Replaced whether it replaced another.
	Schedule domain.ScheduleID
	Replaced bool
}

func (r Result) failed() bool { return r.Kind == ResultFailed }

// failed returns the result of an element that is refused, without its document.
func failed(err *domain.Error, status domain.Status) Result {
	return Result{Kind: ResultFailed, Status: status, Previous: status, Code: err.Code, Detail: err.Error()}
}

// Provision applies a request for one product to the subscribers with the documents and returns a
// result for each, in order. Each document is atomic: a failure does not undo the others. If the
// request itself is wrong, Provision returns an *Error and changes nothing.
func (e *Engine) Provision(ctx context.Context, call Call, req domain.Request, productID int, documents []string) ([]Result, error) {
	return e.runBatch(ctx, call, &batch{req: req, productID: productID, documents: documents})
}

func (e *Engine) runBatch(ctx context.Context, call Call, b *batch) ([]Result, error) {
	if len(b.documents) == 0 {
		return nil, emptyError("documents")
	}
	return (&splitRequest[Result]{call: call, elements: len(b.documents), processChunk: b.processChunk}).run(ctx, e)
}

// emptyError refuses a request whose list has no elements.
func emptyError(field string) error {
	return &domain.Error{Code: domain.ValidationFailed, Message: field + " is empty",
		Fields: []domain.FieldError{{Field: field, Code: "required", Message: "at least one element"}}}
}

// batch is a request for one product and several documents, processed chunk by chunk.
type batch struct {
	*unitOfWork
	req       domain.Request
	productID int
	documents []string
	at        time.Time // when to do it; zero: now

	// The chunk that is processed.
	product     domain.Product
	cause       cause
	subscribers map[cpf.Document]domain.SubscriberID
	services    map[domain.SubscriberID][]*domain.Service
}

// processChunk applies the request to the documents from len(done) to end, exclusive.
func (b *batch) processChunk(ctx context.Context, u *unitOfWork, done []Result, end int) ([]Result, error) {
	b.unitOfWork, b.cause = u, u.causedBy(b.req.String())
	chunk, perform := b.documents[len(done):end], b.perform
	err := b.load(ctx, chunk)
	if refused, later := refusedLater(err, len(done)); later {
		perform = func(string) Result { return failed(refused, domain.NoService) }
	} else if err != nil {
		return nil, err
	}
	results := make([]Result, len(chunk))
	for i, d := range chunk {
		results[i] = perform(d)
		results[i].Document = cpf.StripPunctuation(d)
	}
	if !b.at.IsZero() {
		return results, nil
	}
	return results, u.queuePositions(ctx, results)
}

// load reads the rows that the documents of the chunk need.
func (b *batch) load(ctx context.Context, documents []string) error {
	if err := b.checkTime(); err != nil {
		return err
	}
	if err := b.loadOffers(ctx); err != nil {
		return err
	}
	product, refused := b.requestedProduct(b.req, b.productID)
	if refused != nil {
		return refused
	}
	b.product = product
	wanted := make([]cpf.Document, 0, len(documents))
	for _, s := range documents {
		if d, err := parseDocument(s); err == nil {
			wanted = append(wanted, d)
		}
	}
	var err error
	if b.subscribers, err = b.tx.SubscriberIDs(ctx, wanted); err != nil {
		return err
	}
	if b.services, err = b.loadServices(ctx, slices.Sorted(maps.Values(b.subscribers))); err != nil {
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

// requestedProduct returns the product, or the error that refuses the request. Only activations
// need a product that is granted and active, so services of a product that is no longer sold can
// still be ended.
func (u *unitOfWork) requestedProduct(req domain.Request, id int) (domain.Product, *domain.Error) {
	offer, exists := u.offers[id]
	activate, required := req == domain.RequestActivate, requiredActions(req)
	switch {
	case !exists, activate && !offer.Granted:
		return domain.Product{}, &domain.Error{Code: domain.UnknownProduct, Message: "the product does not exist or is not sold by this provider"}
	case activate && !offer.Active:
		return domain.Product{}, &domain.Error{Code: domain.ProductInactive, Message: "the product is not active"}
	case offer.Can&required == 0 && required != 0:
		return domain.Product{}, &domain.Error{Code: domain.ActionNotAllowed, Message: "the product does not allow this action"}
	}
	return offer.Product, nil
}

// requiredActions returns a set of actions; the product must allow one of them. 0: none required.
func requiredActions(req domain.Request) domain.Action {
	switch req {
	case domain.RequestActivate:
		return domain.CanActivate | domain.CanReactivate | domain.CanChangeTo
	case domain.RequestSuspend, domain.RequestOverdue:
		return domain.CanSuspend
	case domain.RequestDeactivate:
		return domain.CanDeactivate
	}
	return 0
}

// perform applies the request to one document, or schedules it.
func (b *batch) perform(doc string) Result {
	d, err := parseDocument(doc)
	if err != nil {
		return failed(err, domain.NoService)
	}
	id, ok := b.subscribers[d]
	if !ok {
		return failed(domain.Refuse(domain.SubscriberNotFound), domain.NoService)
	}
	if len(b.documents) == 1 {
		b.onlySubscriber = id
	}
	s := findService(b.services[id], b.product.ID)
	switch {
	case !b.at.IsZero():
		return b.schedule(s)
	case b.req == domain.RequestActivate && (s == nil || s.Status.Ended()):
		return b.activate(id)
	case s == nil:
		return failed(domain.Refuse(domain.ServiceNotFound), domain.NoService)
	}
	return b.request(s, b.req, b.cause)
}

// findService returns the live service of the product, else its last ended one, else nil.
func findService(services []*domain.Service, product int) *domain.Service {
	var last *domain.Service
	for _, s := range services {
		if s.ProductID == product && (last == nil || last.Status.Ended()) {
			last = s
		}
	}
	return last
}

var errNotActivatable = &domain.Error{Code: domain.ActionNotAllowed, Message: "the product cannot be activated"}

// activate changes a live service of the product's family to the product, or starts a new service.
func (b *batch) activate(id domain.SubscriberID) Result {
	have := b.services[id]
	if s := b.familyService(have); s != nil {
		return b.changeProduct(s, domain.ActivateFamily, b.product, b.cause)
	}
	if b.product.Can&domain.CanActivate == 0 {
		return failed(errNotActivatable, domain.NoService)
	}
	s, refused := b.start(id, b.product.ID, have, b.cause)
	if refused != nil {
		return failed(refused, domain.NoService)
	}
	b.services[id] = append(have, s)
	return Result{Kind: ResultAccepted, Status: s.Status, Operation: s.Operation}
}

// familyService returns the live service of another product of the family, or nil.
func (b *batch) familyService(services []*domain.Service) *domain.Service {
	for _, s := range services {
		if !s.Status.Ended() && b.product.Family != "" && b.offers[s.ProductID].Family == b.product.Family {
			return s
		}
	}
	return nil
}

// request applies a request to a service of its product, and cancels the schedules that it overrules.
func (u *unitOfWork) request(s *domain.Service, req domain.Request, c cause) Result {
	r := u.applyChecked(s, req.Trigger(), Facts{}, c)
	if !r.failed() {
		u.cancelOverruled(s, req)
	}
	return r
}

// changeProduct applies trigger t, which replaces the product of the service with to.
func (u *unitOfWork) changeProduct(s *domain.Service, t domain.Trigger, to domain.Product, c cause) Result {
	from := s.ProductID
	f := Facts{Replaceable: to.Replaces(u.offers[from].Product)}
	switch s.Status {
	case domain.Changed:
		f.SameTarget = s.ProductID == to.ID
	case domain.InError:
		f.SameTarget = s.RequestedProductID == to.ID
	}
	if u.decide(s, t, f).Verdict() == Moves { // move expects the new product to be set
		s.ProductID, s.PreviousProductID = to.ID, from
	}
	return u.applyChecked(s, t, f, c)
}

// applyChecked applies a trigger unless the product forbids it, which the table does not know.
func (u *unitOfWork) applyChecked(s *domain.Service, t domain.Trigger, f Facts, c cause) Result {
	before, can := s.Status, u.offers[s.ProductID].Can
	out := u.decide(s, t, f)
	switch {
	case t != domain.ActivateSame || out.Verdict() != Moves:
	case out.To == domain.Reactivated && can&domain.CanReactivate == 0:
		return failed(&domain.Error{Code: domain.ActionNotAllowed, Message: "the product cannot be reactivated"}, before)
	case out.To != domain.Reactivated && can&domain.CanActivate == 0: // a failed activation
		return failed(errNotActivatable, before)
	}
	switch out = u.apply(s, t, f, c); out.Verdict() {
	case Refuses:
		return failed(domain.Refuse(out.Refuse), before)
	case Stays:
		return Result{Kind: ResultUnchanged, Status: s.Status, Previous: before, Operation: s.Operation}
	}
	return Result{Kind: ResultAccepted, Status: s.Status, Previous: before, Operation: s.Operation}
}
