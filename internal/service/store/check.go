package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ativa/internal/service/domain"
)

// Finding is something that Check found in a database.
type Finding struct {
	Check    string // what was checked, stable snake_case: counters, queue, limit, live_tokens, …
	Provider string // "" when it belongs to none
	Detail   string // what is wrong, without personal data: a format string, so that it can be translated
	Args     []any  // arguments of Detail
	Note     bool   // true: allowed but worth knowing; false: a fault
}

// maxFindings is the maximum number of findings of one invariant.
const maxFindings = 1000

// Check looks for damage in a database and for rows that break the rules, in one
// snapshot, while servers use it. It changes nothing. PostgreSQL detects damaged pages itself. An
// error means that the check could not run.
func Check(ctx context.Context, dsn string) ([]Finding, error) {
	q, where, done, err := inspect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer done()
	if conn, isFile := q.(*sqliteConn); isFile {
		damage, err := integrityFindings(ctx, conn)
		if err != nil || len(damage) > 0 {
			return damage, openError(where, err) // rows of a damaged file cannot be trusted
		}
	}
	switch current, target, err := versions(ctx, q, where); {
	case err != nil:
		return nil, err
	case current == 0:
		return nil, notOurs(where)
	case current > target: // whose rules this program does not know
		return nil, newerSchema(where, current, target)
	}
	found, err := checkInvariants(ctx, q)
	err = openError(where, err)
	if _, inWords := errors.AsType[*domain.TextError](err); err != nil && !inWords {
		err = &domain.TextError{Detail: "database %s cannot be checked (`ativa admin migrate --status` shows whether its version is this program's)", Args: []any{where}, Err: err}
	}
	return found, err
}

func integrityFindings(ctx context.Context, q querier) ([]Finding, error) {
	lines, err := list(ctx, q, only[string], `PRAGMA integrity_check(100)`)
	var all []Finding
	for _, line := range lines {
		if line != "ok" {
			all = append(all, Finding{Check: "integrity", Detail: "%s", Args: []any{line}})
		}
	}
	return all, err
}

// invariant is a rule about rows. Its query returns a provider's name and the number in detail for
// each violation.
type invariant struct {
	check, detail, query string
	note                 bool
}

// serviceIs returns the condition of a service v of whose statuses rule is true.
func serviceIs(rule func(domain.Service) bool) string {
	pairs := ``
	for status := range domain.WaitingSuspensionDueToOverdue + 1 {
		for stable := range domain.WaitingSuspensionDueToOverdue + 1 {
			if rule(domain.Service{Status: status, LastStable: stable}) {
				pairs += fmt.Sprintf(`, (%d, %d)`, status, stable)
			}
		}
	}
	return `((v.status_id, v.last_stable_status_id) IN (VALUES ` + strings.TrimPrefix(pairs, `, `) + `))`
}

func invariants() []invariant {
	const of = ` JOIN provider p ON p.id = `
	ended := statuses(domain.Canceled, domain.CanceledWithoutActivation)
	atRest := statuses(domain.Active, domain.Canceled, domain.Suspended, domain.Overdue, domain.InError, domain.CanceledWithoutActivation)
	waiting := statuses(domain.LimitReached, domain.InProgress, domain.Reactivated, domain.Changed,
		domain.WaitingSuspension, domain.WaitingCancellation, domain.WaitingSuspensionDueToOverdue)
	known := serviceIs(func(s domain.Service) bool { return s.Status.Known() })
	return []invariant{
		{check: "services", detail: "%d services belong to no provider", query: `
			SELECT '', COUNT(*)
			FROM service v
			WHERE NOT EXISTS (SELECT 1 FROM provider p WHERE p.id = v.id >> ` + serviceBits + `)
			HAVING COUNT(*) > 0`},
		{check: "services", detail: "service %d is of a product that does not exist", query: `
			SELECT p.name, v.id
			FROM service v` + of + `v.id >> ` + serviceBits + `
			WHERE NOT EXISTS (SELECT 1 FROM product o WHERE o.id = v.product_id)`},
		{check: "services", detail: "service %d has a status that does not exist", query: `
			SELECT p.name, v.id
			FROM service v` + of + `v.id >> ` + serviceBits + `
			WHERE NOT ` + known},
		{check: "live_tokens", detail: "service %d and another of its subscriber are both live, of one product", query: `
			SELECT p.name, MAX(v.id)
			FROM service v` + of + `v.id >> ` + serviceBits + `
			WHERE v.status_id NOT IN ` + ended + `
			GROUP BY p.id, p.name, v.id >> ` + tokenBits + `, v.product_id
			HAVING COUNT(*) > 1`},
		{check: "live_tokens", detail: "service %d and another of its subscriber are both live, of one family", query: `
			SELECT p.name, MAX(v.id)
			FROM service v` + of + `v.id >> ` + serviceBits + `
			JOIN product o ON o.id = v.product_id
			WHERE v.status_id NOT IN ` + ended + ` AND o.family <> ''
			GROUP BY p.id, p.name, v.id >> ` + tokenBits + `, o.family
			HAVING COUNT(DISTINCT v.product_id) > 1`},
		{check: "counters", detail: "%d services hold a token, but the counter has another number", query: countDiffers("active_tokens", serviceIs(domain.Service.HoldsActiveToken))},
		{check: "counters", detail: "%d services are queued, but the counter has another number", query: countDiffers("queued", `v.`+isQueued)},
		{check: "queue", detail: "%d activations are queued although there is room; a running service starts them", query: `
			SELECT p.name, p.queued
			FROM provider p
			WHERE p.queued > 0 AND p.active_tokens < p.active_limit`},
		{check: "limit", note: true, detail: "%d services hold a token above the limit: it was lowered, or suspended ones came back; no activation starts until some end", query: `
			SELECT p.name, p.active_tokens - p.active_limit
			FROM provider p
			WHERE p.active_tokens > p.active_limit`},
		{check: "counters", detail: "the counter of subscribers is too high by %d", query: `
			SELECT p.name, p.subscribers - (SELECT COUNT(*) FROM subscriber s WHERE s.provider_id = p.id)
			FROM provider p
			WHERE p.subscribers <> (SELECT COUNT(*) FROM subscriber s WHERE s.provider_id = p.id)`},
		{check: "counters", detail: "subscriber number %d is above the counter", query: numberAboveCounter("subscriber", subscriberBits)},
		{check: "counters", detail: "operation number %d is above the counter", query: numberAboveCounter("operation", recordBits)},
		{check: "counters", detail: "delivery number %d is above the counter", query: numberAboveCounter("delivery", recordBits)},
		{check: "counters", detail: "schedule number %d is above the counter", query: numberAboveCounter("schedule", recordBits)},
		{check: "events", detail: "the last event has number %d, but the counter has another number", query: `
			SELECT p.name, MAX(e.id) - (p.id << ` + recordBits + `)
			FROM event e` + of + `e.id >> ` + recordBits + `
			GROUP BY p.id, p.name, p.last_event
			HAVING (p.last_event - MAX(e.id) + (p.id << ` + recordBits + `)) % ` + skippedEvents + ` <> 0`},
		{check: "events", detail: "%d events are missing within the feed", query: `
			SELECT p.name, MAX(e.id) - MIN(e.id) + 1 - COUNT(*)
			FROM event e` + of + `e.id >> ` + recordBits + `
			GROUP BY p.id, p.name
			HAVING (MAX(e.id) - MIN(e.id) + 1 - COUNT(*)) % ` + skippedEvents + ` <> 0`},
		{check: "events", detail: "the feed callback is %d events ahead of the last", query: `
			SELECT p.name, f.cursor - (p.id << ` + recordBits + `) - p.last_event
			FROM feed_callback f` + of + `f.provider_id
			WHERE f.cursor > (p.id << ` + recordBits + `) + p.last_event`},
		{check: "subscribers", detail: "%d subscribers lie outside their provider's range of ids", query: countWhere(
			`subscriber s`, `s.provider_id`, `s.id >> `+subscriberBits+` <> s.provider_id`)},
		{check: "services", detail: "%d services that have not ended belong to no subscriber", query: countWhere(
			`service v`, `v.id >> `+serviceBits, `v.status_id NOT IN `+ended+` AND NOT EXISTS (SELECT 1 FROM subscriber s WHERE s.id = v.id >> `+tokenBits+`)`)},
		{check: "usage", detail: "%d services are enabled without an interval of usage, or have one and are not", query: countWhere(
			`service v`, `v.id >> `+serviceBits, `CASE WHEN `+serviceIs(domain.Service.Enabled)+` THEN 1 ELSE 0 END
				<> (SELECT COUNT(*) FROM enabled_interval i WHERE i.service_id = v.id AND i.end_event IS NULL)`)},
		{check: "usage", detail: "%d intervals of usage end before they begin, or belong to no service", query: countWhere(
			`enabled_interval i`, `i.service_id >> `+serviceBits, `i.end_at < i.begin_at OR NOT EXISTS (SELECT 1 FROM service v WHERE v.id = i.service_id)`)},
		{check: "operations", detail: "%d services refer to an operation that is missing or of another service", query: countWhere(
			`service v`, `v.id >> `+serviceBits, `NOT EXISTS (SELECT 1 FROM operation o WHERE o.id = v.operation_id AND o.service_id = v.id)`)},
		{check: "operations", detail: "%d operations wait although their service has another or has come to rest", query: countWhere(
			`operation o`, `o.id >> `+recordBits, `o.`+isWaiting+` AND NOT EXISTS (SELECT 1 FROM service v WHERE v.id = o.service_id AND v.operation_id = o.id
				AND v.status_id NOT IN `+atRest+`)`)},
		{check: "operations", detail: "%d services wait for an operation that has ended", query: countWhere(
			`service v`, `v.id >> `+serviceBits, `v.status_id IN `+waiting+`
				AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.id = v.operation_id AND o.`+isWaiting+`)`)},
		{check: "outbox", detail: "%d deliveries belong to no service", query: countWhere(
			`delivery j`, `j.id >> `+recordBits, `NOT EXISTS (SELECT 1 FROM service v WHERE v.id = j.service_id)`)},
		{check: "schedules", detail: "%d schedules belong to no subscriber", query: countWhere(
			`schedule c`, `c.id >> `+recordBits, `NOT EXISTS (SELECT 1 FROM subscriber s WHERE s.id = c.service_id >> `+tokenBits+`)`)},
	}
}

// countWhere counts the rows of each provider that meet a condition.
func countWhere(rows, provider, condition string) string {
	return `SELECT p.name, COUNT(*)
		FROM ` + rows + ` JOIN provider p ON p.id = ` + provider + `
		WHERE ` + condition + `
		GROUP BY p.id, p.name`
}

// numberAboveCounter compares the counter of a table with the greatest id, whose low bits are the
// number.
func numberAboveCounter(table, bits string) string {
	return `SELECT p.name, MAX(x.id) - (p.id << ` + bits + `)
		FROM ` + table + ` x JOIN provider p ON p.id = x.id >> ` + bits + `
		GROUP BY p.id, p.name, p.last_` + table + `
		HAVING MAX(x.id) - (p.id << ` + bits + `) > p.last_` + table
}

// countDiffers compares a counter of providers with the number of services that meet a condition.
func countDiffers(counter, condition string) string {
	return `SELECT p.name, COUNT(v.id)
		FROM provider p
		LEFT JOIN service v ON v.id >= p.id << ` + serviceBits + ` AND v.id < (p.id + 1) << ` + serviceBits + ` AND ` + condition + `
		GROUP BY p.id, p.name, p.` + counter + `
		HAVING COUNT(v.id) <> p.` + counter
}

func checkInvariants(ctx context.Context, q querier) ([]Finding, error) {
	var all []Finding
	for _, i := range invariants() {
		err := q.query(ctx, i.query+` LIMIT ?`, []any{maxFindings}, func(r row) error {
			f, n := Finding{Check: i.check, Detail: i.detail, Note: i.note}, 0
			err := r.Scan(&f.Provider, &n)
			f.Args = []any{n}
			all = append(all, f)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
