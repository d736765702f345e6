package store

import (
	"context"
	"maps"
	"slices"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/store/searchindex"
)

// Products implements rules.Tx. During a write the products cannot change.
func (t *tx) Products(ctx context.Context) (map[int]domain.Offer, error) {
	if err := t.lock(ctx, t.shareProducts); err != nil {
		return nil, err
	}
	offers, err := list(ctx, t, func(o *domain.Offer) []any {
		return []any{&o.ID, &o.Name, &o.Code, &o.Family, &o.Active, &o.Can, &o.Partner, &o.RequestsActivation, &o.Granted}
	}, `SELECT p.id, p.name, p.code, p.family, p.active, p.can, p.partner_id,
		COALESCE(a.driver = 'http', FALSE), COALESCE(g.granted, ?)
		FROM product p LEFT JOIN partner a ON a.id = p.partner_id
		LEFT JOIN product_grant g ON g.product_id = p.id AND g.provider_id = ?`, t.provider.AllProducts, t.provider.ID)
	byID := make(map[int]domain.Offer, len(offers))
	for _, o := range offers {
		byID[o.ID] = o
	}
	return byID, err
}

func (t *tx) Subscribers(ctx context.Context, documents []cpf.Document) (map[cpf.Document]domain.Subscriber, error) {
	found := make(map[cpf.Document]domain.Subscriber, len(documents))
	return found, t.lookUp(ctx, subscriberColumns, documents, func(r row) error {
		var s domain.Subscriber
		err := r.Scan(subscriberTargets(&s)...)
		found[s.Document] = s
		return err
	})
}

// SubscriberIDs implements rules.Tx. It reads only the index.
func (t *tx) SubscriberIDs(ctx context.Context, documents []cpf.Document) (map[cpf.Document]domain.SubscriberID, error) {
	found := make(map[cpf.Document]domain.SubscriberID, len(documents))
	return found, t.lookUp(ctx, `s.document, s.id`, documents, func(r row) error {
		var document cpf.Document
		var id domain.SubscriberID
		err := r.Scan(asDocument(&document), fastInt(&id))
		found[document] = id
		return err
	})
}

// lookUp reads columns of the subscribers with the documents, in the order of the index.
func (t *tx) lookUp(ctx context.Context, columns string, documents []cpf.Document, scan func(row) error) error {
	keys := make([]uint64, len(documents))
	for i, d := range documents {
		keys[i] = d.Number()
	}
	slices.Sort(keys)
	from := ` FROM json_each(?) k CROSS JOIN subscriber s ON s.provider_id = ? AND s.document = k.value`
	if t.dialect().isPostgres {
		from = subscribersOfMany
	}
	return t.query(ctx, `SELECT `+columns+from, []any{int64s(keys), t.provider.ID}, scan)
}

// subscribersOfMany looks up each document on PostgreSQL with the complete unique index. For a
// provider newer than its statistics the planner would otherwise assume no subscribers and read them
// all.
const subscribersOfMany = `
	FROM unnest(?::bigint[]) AS k (document)
	CROSS JOIN LATERAL (
		SELECT *
		FROM subscriber
		WHERE provider_id = ? AND document = k.document
		LIMIT 1
	) s`

func (t *tx) Services(ctx context.Context, ids []domain.SubscriberID) (map[domain.SubscriberID][]domain.Service, error) {
	return servicesOf(ctx, t, ids)
}

func servicesOf(ctx context.Context, s querier, ids []domain.SubscriberID) (map[domain.SubscriberID][]domain.Service, error) {
	query := `SELECT ` + serviceColumns + ` FROM json_each(?) r CROSS JOIN service v ON v.id BETWEEN r.value AND r.value + ` + lastToken
	if s.dialect().isPostgres {
		query = servicesOfMany
	}
	firsts := make([]int64, len(ids))
	for i, id := range ids {
		first, _ := id.Services()
		firsts[i] = int64(first)
	}
	all := make(map[domain.SubscriberID][]domain.Service, len(ids))
	return all, s.query(ctx, query, []any{firsts}, func(r row) error {
		var v domain.Service
		err := r.Scan(serviceTargets(&v)...)
		id := v.ID.Subscriber()
		all[id] = append(all[id], v)
		return err
	})
}

// servicesOfMany takes the first service id of each subscriber. On PostgreSQL the LIMIT makes the
// planner walk the primary key once for each.
const servicesOfMany = `SELECT ` + serviceColumns + `
	FROM unnest(?::bigint[]) AS r (first)
	CROSS JOIN LATERAL (
		SELECT *
		FROM service
		WHERE id BETWEEN r.first AND r.first + ` + lastToken + `
		ORDER BY id LIMIT ` + idsEach + `
	) v
	ORDER BY v.id`

func (t *tx) ServicesByID(ctx context.Context, ids []domain.ServiceID) (map[domain.ServiceID]domain.Service, error) {
	found, err := mapByKeys(ctx, t, serviceTargets, `SELECT `+serviceColumns+` FROM service v WHERE v.id %s`, ids,
		func(s *domain.Service) domain.ServiceID { return s.ID })
	maps.DeleteFunc(found, func(id domain.ServiceID, _ domain.Service) bool { return id.Provider() != t.provider.ID })
	return found, err
}

func (t *tx) Operations(ctx context.Context, ids []domain.OperationID) (map[domain.OperationID]domain.Operation, error) {
	found, err := mapByKeys(ctx, t, func(o *domain.Operation) []any { return append(operationTargets(o), &o.RequestsActivation) }, `SELECT `+operationColumns+`, COALESCE(a.driver = 'http', FALSE)
		FROM operation o LEFT JOIN partner a ON a.id = o.partner_id
		WHERE o.id %s`, ids, func(o *domain.Operation) domain.OperationID { return o.ID })
	maps.DeleteFunc(found, func(id domain.OperationID, _ domain.Operation) bool { return id.Provider() != t.provider.ID })
	return found, err
}

func (t *tx) Queue(ctx context.Context, n int) ([]domain.Service, error) {
	first, last := t.provider.ID.Records()
	return list(ctx, t, serviceTargets, `SELECT `+serviceColumns+`
		FROM service v
		WHERE v.`+isQueued+` AND v.operation_id BETWEEN ? AND ?
		ORDER BY v.operation_id LIMIT ?`, first, last, n)
}

func (t *tx) QueuePositions(ctx context.Context, ids []domain.OperationID) (map[domain.OperationID]int, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	start, _ := t.provider.ID.Records()
	first, last := slices.Min(ids), slices.Max(ids)
	const queued = ` FROM service WHERE ` + isQueued + ` AND operation_id `
	n := 0
	if _, err := queryRow(ctx, t, `SELECT COUNT(*)`+queued+`>= ? AND operation_id < ?`, []any{start, first}, &n); err != nil {
		return nil, err
	}
	queue, err := list(ctx, t, only[domain.OperationID], `SELECT operation_id`+queued+`BETWEEN ? AND ? ORDER BY operation_id`, first, last)
	found := make(map[domain.OperationID]int, len(ids))
	for _, id := range ids {
		if i, ok := slices.BinarySearch(queue, id); ok {
			found[id] = n + i + 1
		}
	}
	return found, err
}

func (t *tx) Callback(ctx context.Context) (domain.Callback, bool, error) {
	c := domain.Callback{Provider: t.provider.ID}
	found, err := queryRow(ctx, t, `SELECT url, secret, allow_private, enabled, failures FROM callback WHERE provider_id = ? AND enabled`,
		[]any{t.provider.ID}, &c.URL, &c.Secret, &c.AllowPrivate, &c.Enabled, &c.Failures)
	return c, found, err
}

// SpeedIDs implements rules.Tx. It reads the ids once for all writes of the transaction,
// because none is ever removed.
func (t *tx) SpeedIDs(ctx context.Context) (map[int]bool, error) {
	if t.speeds != nil {
		return t.speeds, nil
	}
	ids, err := list(ctx, t, only[int], `SELECT id FROM internet_speed`)
	if err != nil {
		return nil, err
	}
	t.speeds = map[int]bool{}
	for _, id := range ids {
		t.speeds[id] = true
	}
	return t.speeds, nil
}

// tx is a write transaction, bound to one provider or none.
type tx struct {
	txQuerier
	provider      domain.Provider // locked, as it was when the current write began; zero before the first write
	unsaved       providerChange
	shareProducts string // statement that prevents changes of products; "": not needed
	indexChanges  []searchindex.Change
	speeds        map[int]bool      // nil: not read
	sealer        *sealer           // nil in a snapshot
	responses     []*sealedResponse // responses of the current write
	othersWait    func() bool       // set for the only write of a group; nil: never
	savepoints    int               // how many were set
	values        []any             // of the last insert; its memory is used again
}

// providerChange holds what consecutive writes of one provider changed in its row. It is written
// once, because each version of a row costs as much as a row.
type providerChange struct {
	provider    domain.Provider // to write, unless its ID is 0
	subscribers int             // number of added ones
}

func (t *tx) exec(ctx context.Context, query string, args ...any) error {
	_, err := t.execRows(ctx, query, args...)
	return err
}

// readProvider reads the provider. With lock = dialect.forUpdate the writes of one provider run
// one after the other.
func (t *tx) readProvider(ctx context.Context, id domain.ProviderID, lock string) error {
	found, err := queryRow(ctx, t, `SELECT `+providerColumns+` FROM provider WHERE id = ?`+lock, []any{id}, providerTargets(&t.provider)...)
	if err == nil && !found {
		return errNoProvider
	}
	return err
}

var errNoProvider = &domain.Error{Code: domain.NotFound, Message: "no such provider"}

func (t *tx) Provider() domain.Provider { return t.provider }

func (t *tx) OthersWait() bool { return t.othersWait != nil && t.othersWait() }

// SaveProvider implements rules.Tx.
func (t *tx) SaveProvider(_ context.Context, p domain.Provider) error {
	t.unsaved.provider, t.unsaved.provider.ID = p, t.provider.ID
	return nil
}

// addToSubscriberCount changes the number of the provider's subscribers, which pages need.
func (t *tx) addToSubscriberCount(more int) {
	if more == 0 {
		return
	}
	if t.unsaved.provider.ID == 0 {
		t.unsaved.provider = t.provider
	}
	t.unsaved.subscribers += more
}

// writeProvider writes what SaveProvider and addToSubscriberCount have recorded, before a write of
// another provider or the commit.
func (t *tx) writeProvider(ctx context.Context) error {
	p, more := t.unsaved.provider, t.unsaved.subscribers
	if t.provider, t.unsaved = (domain.Provider{}), (providerChange{}); p.ID == 0 {
		return nil
	}
	return t.queue(ctx, `UPDATE provider SET active_limit = ?, disabled = ?, active_tokens = ?, queued = ?, last_subscriber = ?,
		last_operation = ?, last_event = ?, last_job = ?, last_schedule = ?, subscribers = subscribers + ? WHERE id = ?`,
		int64(p.Limit), p.Disabled, int64(p.ActiveTokens), int64(p.Queued), p.Subscribers, p.Operations, p.Events, p.Jobs, p.Schedules, int64(more), int64(p.ID))
}
