package store

import (
	"context"
	"errors"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store/searchindex"
)

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
	othersWait    func() bool       // of the current write; nil in a snapshot
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
		last_operation = ?, last_event = ?, last_delivery = ?, last_schedule = ?, subscribers = subscribers + ? WHERE id = ?`,
		int64(p.Limit), p.Disabled, int64(p.ActiveTokens), int64(p.Queued), p.Subscribers, p.Operations, p.Events, p.Deliveries, p.Schedules, int64(more), int64(p.ID))
}

// Write implements rules.Tx.
func (t *tx) Write(ctx context.Context, c rules.Changes) error {
	for _, write := range []func() error{
		func() error { return t.insertServices(ctx, c.NewServices) },
		func() error { return t.updateServices(ctx, c.Services) },
		func() error { return t.insertOperations(ctx, c.NewOperations) },
		func() error { return t.updateOperations(ctx, c.Operations) },
		func() error { return t.insertEvents(ctx, c.Events) },
		func() error { return t.endIntervals(ctx, c.EndedIntervals) },
		func() error { return t.beginIntervals(ctx, c.NewIntervals) },
		func() error { return t.insertDeliveries(ctx, c.NewDeliveries) },
		func() error { return t.finishDeliveries(ctx, c.FinishedDeliveries) },
		func() error { return t.updateSchedules(ctx, c.Schedules) },
		func() error { return t.insertSchedules(ctx, c.NewSchedules) },
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// lock runs a statement that waits for a lock of the transaction. SQLite has none, because its
// writes run one after the other.
func (t *tx) lock(ctx context.Context, statement string) error {
	if statement == "" {
		return nil
	}
	return t.queue(ctx, statement)
}

// explainDuplicate turns the violation of a unique constraint into NameTaken with the given
// message.
func (t *tx) explainDuplicate(subject domain.Subject, err error, message string) error {
	if err != nil && t.dialect().isUniqueViolation(err) {
		return &domain.Error{Code: domain.NameTaken, Message: message, Subject: subject, Err: err}
	}
	return err
}

// insertReturningID runs an INSERT … RETURNING id.
func (t *tx) insertReturningID(ctx context.Context, id any, query string, args ...any) error {
	_, err := queryRow(ctx, t, query+` RETURNING id`, args, id)
	return err
}

// refuseIf returns the refusal if the query finds a row.
func (t *tx) refuseIf(ctx context.Context, refusal *domain.Error, query string, args ...any) error {
	found, err := queryRow(ctx, t, query, args, new(int))
	if err == nil && found {
		return refusal
	}
	return err
}

// readOnly lets the methods of a transaction read a snapshot. It refuses writes.
type readOnly struct{ querier }

var errReadOnly = errors.New("a snapshot cannot be written")

func (readOnly) execRows(context.Context, string, ...any) (int64, error) { return 0, errReadOnly }
func (readOnly) queue(context.Context, string, ...any) error             { return errReadOnly }
func (readOnly) flush(context.Context) error                             { return nil }
