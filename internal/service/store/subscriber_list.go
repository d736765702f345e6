package store

import (
	"context"
	"slices"
	"strings"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// Subscriber implements reports.Store.
func (db *DB) Subscriber(ctx context.Context, p domain.ProviderID, d cpf.Document) (domain.SubscriberServices, []domain.Product, bool, error) {
	var s domain.SubscriberServices
	var products []domain.Product
	err := db.read.query(ctx, subscriberWithServices(db.read.dialect()), []any{p, int64(d.Number())}, func(r row) error {
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
	if err != nil {
		return nil, total, err
	}
	return all, total, addServices(ctx, db.read, all)
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

func targetsWithoutServices(s *domain.SubscriberServices) []any {
	return subscriberTargets(&s.Subscriber)
}

// addServices reads the services of a list of subscribers, which ascends by id.
func addServices(ctx context.Context, q querier, all []domain.SubscriberServices) error {
	if len(all) == 0 {
		return nil
	}
	first, _ := all[0].ID.Services()
	_, last := all[len(all)-1].ID.Services()
	services, err := list(ctx, q, listedServiceTargets, `SELECT `+listedServiceColumns+` FROM service v WHERE v.id BETWEEN ? AND ? ORDER BY v.id`, first, last)
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
	return err
}

// EachSubscriber implements server.Store.
func (db *DB) EachSubscriber(ctx context.Context, p domain.ProviderID, fn func(*domain.SubscriberServices) error) error {
	return eachBatch(ctx, db.read, subscriberRange(p), func(ctx context.Context, after, last int64) ([]domain.SubscriberServices, error) {
		all, err := list(ctx, db.read, targetsWithoutServices, subscribersInRange, after, last)
		if err != nil {
			return nil, err
		}
		return all, addServices(ctx, db.read, all)
	}, fn)
}

// subscriberRange selects the subscribers of a provider, for [eachBatch].
func subscriberRange(p domain.ProviderID) idRange {
	first, end := p.Subscribers()
	return idRange{`subscriber`, `id`, int64(first), int64(end), listBatch}
}

// subscribersInRange selects the subscribers with an id after the first parameter, up to the second. Both
// ends are bounds of the query, so that no query plan reads more than the range.
const subscribersInRange = `SELECT ` + subscriberColumns + ` FROM subscriber s WHERE s.id > ? AND s.id <= ? ORDER BY s.id`

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
