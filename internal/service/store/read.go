package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// Update implements rules.Store. An id from outside may contain provider 0, which does not
// exist.
func (db *DB) Update(ctx context.Context, p domain.ProviderID, fn func(context.Context, rules.Tx) error) error {
	if p == 0 {
		return errNoProvider
	}
	return db.submit(ctx, p, func(ctx context.Context, t *tx) error { return fn(ctx, t) })
}

// View implements rules.Store.
func (db *DB) View(ctx context.Context, p domain.ProviderID, fn func(context.Context, rules.Tx) error) error {
	s, release, err := db.snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	t := &tx{txQuerier: readOnly{s}}
	if err := t.readProvider(ctx, p, ""); err != nil {
		return err
	}
	return fn(ctx, t)
}

// readOnly lets the methods of a transaction read a snapshot. It refuses writes.
type readOnly struct{ querier }

var errReadOnly = errors.New("a snapshot cannot be written")

func (readOnly) execRows(context.Context, string, ...any) (int64, error) { return 0, errReadOnly }
func (readOnly) queue(context.Context, string, ...any) error             { return errReadOnly }
func (readOnly) flush(context.Context) error                             { return nil }

// Subscriber implements reports.Store.
func (db *DB) Subscriber(ctx context.Context, p domain.ProviderID, d cpf.Document) (domain.SubscriberServices, []domain.Product, bool, error) {
	var s domain.SubscriberServices
	var products []domain.Product
	err := db.lookUp.query(ctx, subscriberWithServices(db.read.dialect()), []any{p, int64(d.Number())}, func(r row) error {
		var v domain.Service
		var of domain.Product
		err := r.Scan(slices.Concat(subscriberTargets(&s.Subscriber), serviceTargets(&v), []any{&of.Name, &of.Code})...)
		if of.ID = v.ProductID; v.ID != 0 {
			s.Services, products = append(s.Services, v), append(products, of)
		}
		return err
	})
	if err != nil {
		return domain.SubscriberServices{}, nil, false, err
	}
	return s, products, s.ID != 0, nil
}

// subscriberWithServices returns a query of one row per service with its product, or one row with
// zeros. On PostgreSQL the LIMIT makes the planner walk the primary key once. It would otherwise
// read all services if the table is newer than its statistics.
func subscriberWithServices(d *dialect) string {
	const ofSubscriber = `s.id * ` + idsEach + ` AND s.id * ` + idsEach + ` + ` + lastToken
	services := `service v ON v.id BETWEEN ` + ofSubscriber
	if d.isPostgres {
		services = `LATERAL (
			SELECT *
			FROM service
			WHERE id BETWEEN ` + ofSubscriber + `
			ORDER BY id LIMIT ` + idsEach + `
		) v ON TRUE`
	}
	return `SELECT ` + subscriberColumns + `, COALESCE(` + strings.ReplaceAll(serviceColumns, `, `, `, 0), COALESCE(`) + `, 0), COALESCE(p.name, ''), COALESCE(p.code, '')
		FROM subscriber s
		LEFT JOIN ` + services + `
		LEFT JOIN product p ON p.id = v.product_id
		WHERE s.provider_id = ? AND s.document = ?
		ORDER BY v.id`
}

// CountSubscribers returns the number of the provider's subscribers.
func (db *DB) CountSubscribers(ctx context.Context, p domain.ProviderID) (n int, err error) {
	_, err = queryRow(ctx, db.read, `SELECT subscribers FROM provider WHERE id = ?`, []any{p}, &n)
	return n, err
}

// SubscriberPage implements server.Store.
func (db *DB) SubscriberPage(ctx context.Context, p domain.ProviderID, offset, limit int) ([]domain.SubscriberServices, int, error) {
	total, err := db.CountSubscribers(ctx, p)
	if err != nil || offset >= total || limit < 1 {
		return nil, total, err
	}
	_, last := p.Subscribers()
	query, args := subscriberAt(db.read.dialect(), p, offset, total)
	all, err := list(ctx, db.read, targetsWithoutServices, `SELECT `+subscriberColumns+`
		FROM subscriber s
		WHERE s.id >= (`+query+`) AND s.id <= ?
		ORDER BY s.id LIMIT ?`, append(args, last, limit)...)
	if err != nil || len(all) == 0 {
		return nil, total, err
	}
	services, err := servicesBetween(ctx, db.read, all[0].ID, all[len(all)-1].ID)
	assignServices(all, services)
	return all, total, err
}

// subscriberAt returns the query of the id at an offset in a provider's list of total subscribers.
// It counts from the nearer end, using the narrowest index in the order of ids. On SQLite that is
// not the primary key, which is the table itself.
func subscriberAt(d *dialect, p domain.ProviderID, offset, total int) (query string, args []any) {
	query, args = `SELECT id FROM subscriber WHERE provider_id = ? ORDER BY id`, []any{p}
	if d.isPostgres {
		first, last := p.Subscribers()
		query, args = `SELECT id FROM subscriber WHERE id BETWEEN ? AND ? ORDER BY id`, []any{first, last}
	}
	if offset <= total/2 {
		return query + ` LIMIT 1 OFFSET ?`, append(args, offset)
	}
	// The total may have changed since; past the end there is no row.
	return query + ` DESC LIMIT 1 OFFSET (
			SELECT CASE WHEN subscribers > ? THEN subscribers - 1 - ? ELSE subscribers END
			FROM provider
			WHERE id = ?
		)`, append(args, offset, offset, p)
}

// subscribersBetween reads the subscribers with after < id <= last and then their services. A
// subscriber with id last must exist already. Both ends are bounds of the query, so that no query
// plan reads more than the interval.
func subscribersBetween(ctx context.Context, q querier, after, last domain.SubscriberID) ([]domain.SubscriberServices, error) {
	all, err := subscribersWithoutServices(ctx, q, after, last)
	if err != nil {
		return nil, err
	}
	services, err := servicesBetween(ctx, q, after+1, last)
	assignServices(all, services)
	return all, err
}

// subscribersWithoutServices reads the subscribers with after < id <= last.
func subscribersWithoutServices(ctx context.Context, q querier, after, last domain.SubscriberID) ([]domain.SubscriberServices, error) {
	return list(ctx, q, targetsWithoutServices, `SELECT `+subscriberColumns+` FROM subscriber s WHERE s.id > ? AND s.id <= ? ORDER BY s.id`, after, last)
}

func targetsWithoutServices(s *domain.SubscriberServices) []any {
	return subscriberTargets(&s.Subscriber)
}

// servicesBetween reads the services of subscribers from the first to the last, for a list.
func servicesBetween(ctx context.Context, q querier, first, last domain.SubscriberID) ([]domain.Service, error) {
	from, _ := first.Services()
	_, to := last.Services()
	return list(ctx, q, listedServiceTargets, `SELECT `+listedServiceColumns+` FROM service v WHERE v.id BETWEEN ? AND ? ORDER BY v.id`, from, to)
}

// assignServices gives each subscriber its services; both slices ascend by id.
func assignServices(all []domain.SubscriberServices, services []domain.Service) {
	for i, n := 0, 0; i < len(all); i++ {
		for n < len(services) && services[n].ID.Subscriber() < all[i].ID {
			n++
		}
		from := n
		for n < len(services) && services[n].ID.Subscriber() == all[i].ID {
			n++
		}
		all[i].Services = services[from:n:n]
	}
}

// EachSubscriber implements server.Store.
func (db *DB) EachSubscriber(ctx context.Context, p domain.ProviderID, fn func(*domain.SubscriberServices) error) error {
	return eachSubscriber(ctx, db.read, p, subscribersBetween, fn)
}

// eachSubscriber calls fn for each subscriber in ascending order of id. read is subscribersBetween or
// subscribersWithoutServices.
func eachSubscriber(ctx context.Context, q querier, p domain.ProviderID, read func(ctx context.Context, q querier, after, last domain.SubscriberID) ([]domain.SubscriberServices, error), fn func(*domain.SubscriberServices) error) error {
	first, end := p.Subscribers()
	return eachBatch(ctx, q, idRange{`subscriber`, `id`, int64(first), int64(end), listBatch}, func(ctx context.Context, after, last int64) ([]domain.SubscriberServices, error) {
		return read(ctx, q, domain.SubscriberID(after), domain.SubscriberID(last))
	}, fn)
}

// listBatch is the number of subscribers that a list reads at a time.
const listBatch = 1000

// idRange selects the rows of a table with after < id <= end, to be read batch ids at a time.
type idRange struct {
	table, id         string
	after, end, batch int64
}

// edge returns the least or the greatest id in a range, or 0 if it has no rows; of is MIN or MAX.
func (r idRange) edge(ctx context.Context, q querier, of string) (id int64, err error) {
	_, err = queryRow(ctx, q, `SELECT COALESCE(`+of+`(`+r.id+`), 0) FROM `+r.table+` WHERE `+r.id+` > ? AND `+r.id+` <= ?`, []any{r.after, r.end}, &id)
	return id, err
}

// eachBatch calls fn for each element that belongs to a range, in ascending order of id, and reads the
// next batch meanwhile. Rows that are inserted later at the end are left out. An empty batch may begin
// a gap of millions of ids, which a restored database has ([DB.SkipIDs]), so the next row is looked up.
func eachBatch[T any](ctx context.Context, q querier, r idRange, read func(ctx context.Context, after, last int64) ([]T, error), fn func(*T) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	batches := make(chan []T)
	var reader errgroup.Group
	reader.Go(func() (err error) {
		defer close(batches)
		if r.end, err = r.edge(ctx, q, `MAX`); err != nil {
			return err
		}
		for r.after < r.end {
			last := min(r.after+r.batch, r.end)
			all, err := read(ctx, r.after, last)
			if err != nil {
				return err
			}
			if r.after = last; len(all) == 0 && r.after < r.end {
				id, err := r.edge(ctx, q, `MIN`)
				if err != nil || id == 0 {
					return err
				}
				r.after = id - 1
			}
			select {
			case batches <- all:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for all := range batches {
		for i := range all {
			if err := fn(&all[i]); err != nil {
				stop()
				_ = reader.Wait() // it was stopped
				return err
			}
		}
	}
	return reader.Wait()
}

// byID returns subscribers with their services in the order of the ids, without
// those that were deleted meanwhile.
func (db *DB) byID(ctx context.Context, ids []domain.SubscriberID) ([]domain.SubscriberServices, error) {
	found, err := db.subscribersByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	services, err := servicesOf(ctx, db.read, ids)
	if err != nil {
		return nil, err
	}
	all := make([]domain.SubscriberServices, 0, len(ids))
	for _, id := range ids {
		if s, ok := found[id]; ok {
			all = append(all, domain.SubscriberServices{Subscriber: s, Services: services[id]})
		}
	}
	return all, nil
}

func (db *DB) subscribersByID(ctx context.Context, ids []domain.SubscriberID) (map[domain.SubscriberID]domain.Subscriber, error) {
	return mapByKeys(ctx, db.read, subscriberTargets, `SELECT `+subscriberColumns+` FROM subscriber s WHERE s.id %s`, ids,
		func(s *domain.Subscriber) domain.SubscriberID { return s.ID })
}
