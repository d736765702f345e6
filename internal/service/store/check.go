package store

import (
	"context"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// Check looks for damage in a database and for rows that break the rules, in one
// snapshot, while servers use it. It changes nothing. PostgreSQL detects damaged pages itself. An
// error means that the check could not run.
func Check(ctx context.Context, dsn string) ([]rules.Finding, error) {
	q, where, done, err := inspect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer done()
	if conn, isFile := q.(*sqliteConn); isFile {
		damage, err := integrityFindings(ctx, conn)
		if err != nil || len(damage) > 0 {
			return damage, err // rows of a damaged file cannot be trusted
		}
	}
	return runChecks(ctx, q, where)
}

func runChecks(ctx context.Context, q querier, where string) ([]rules.Finding, error) {
	findings, err := auditServices(ctx, q)
	if err != nil {
		return nil, &domain.TextError{Detail: "database %s cannot be checked (`ativa admin migrate --status` shows whether its version is this program's)", Args: []any{where}, Err: err}
	}
	more, err := checkInvariants(ctx, q)
	return append(findings, more...), err
}

func integrityFindings(ctx context.Context, q querier) ([]rules.Finding, error) {
	lines, err := list(ctx, q, func(r row, line *string) error { return r.Scan(line) }, `PRAGMA integrity_check(100)`)
	var all []rules.Finding
	for _, line := range lines {
		if line != "ok" {
			all = append(all, rules.Finding{Check: "integrity", Detail: "%s", Args: []any{line}})
		}
	}
	return all, err
}

func auditServices(ctx context.Context, q querier) ([]rules.Finding, error) {
	providers, err := list(ctx, q, scanProvider, `SELECT `+providerColumns+` FROM provider ORDER BY id`)
	if err != nil {
		return nil, err
	}
	products, err := list(ctx, q, scanProduct, `SELECT `+productColumns+` ORDER BY p.id`)
	if err != nil {
		return nil, err
	}
	a := rules.NewAudit(providers, products)
	err = q.query(ctx, `SELECT `+serviceColumns+` FROM service v ORDER BY v.id`, nil, func(r row) error {
		var s domain.Service
		err := scanService(r, &s)
		a.Service(s)
		return err
	})
	return a.Findings(), err
}

// invariant is a rule about rows. Its query returns a provider's name and a number
// for each provider that breaks it.
type invariant struct{ check, detail, query string }

func invariants() []invariant {
	const of = ` JOIN provider p ON p.id = `
	ended := statuses(domain.Canceled, domain.CanceledWithoutActivation)
	atRest := statuses(domain.Active, domain.Canceled, domain.Suspended, domain.Overdue, domain.InError, domain.CanceledWithoutActivation)
	notEnabled := statuses(domain.Suspended, domain.Overdue, domain.Canceled, domain.CanceledWithoutActivation)
	waiting := statuses(domain.LimitReached, domain.InProgress, domain.Reactivated, domain.Changed,
		domain.WaitingSuspension, domain.WaitingCancellation, domain.WaitingSuspensionDueToOverdue)
	return []invariant{
		{check: "counters", detail: "%d subscribers more are counted than there are", query: `
			SELECT p.name, p.subscribers - (SELECT COUNT(*) FROM subscriber s WHERE s.provider_id = p.id)
			FROM provider p
			WHERE p.subscribers <> (SELECT COUNT(*) FROM subscriber s WHERE s.provider_id = p.id)`},
		{check: "counters", detail: "subscriber number %d is above the last that was given", query: `
			SELECT p.name, MAX(s.id) - (p.id << ` + subscriberBits + `)
			FROM subscriber s` + of + `s.id >> ` + subscriberBits + `
			GROUP BY p.id, p.name, p.last_subscriber
			HAVING MAX(s.id) - (p.id << ` + subscriberBits + `) > p.last_subscriber`},
		{check: "counters", detail: "operation number %d is above the last that was given", query: numberAboveCounter("operation")},
		{check: "counters", detail: "job number %d is above the last that was given", query: numberAboveCounter("job")},
		{check: "counters", detail: "schedule number %d is above the last that was given", query: numberAboveCounter("schedule")},
		{check: "events", detail: "the last event has number %d, and the counter says another", query: `
			SELECT p.name, MAX(e.id) - (p.id << ` + recordBits + `)
			FROM event e` + of + `e.id >> ` + recordBits + `
			GROUP BY p.id, p.name, p.last_event
			HAVING MAX(e.id) - (p.id << ` + recordBits + `) <> p.last_event`},
		{check: "events", detail: "%d events are missing within the feed", query: `
			SELECT p.name, MAX(e.id) - MIN(e.id) + 1 - COUNT(*)
			FROM event e` + of + `e.id >> ` + recordBits + `
			GROUP BY p.id, p.name
			HAVING MAX(e.id) - MIN(e.id) + 1 <> COUNT(*)`},
		{check: "events", detail: "the feed callback is %d events ahead of the last", query: `
			SELECT p.name, f.cursor - (p.id << ` + recordBits + `) - p.last_event
			FROM feed_callback f` + of + `f.provider_id
			WHERE f.cursor > (p.id << ` + recordBits + `) + p.last_event`},
		{check: "subscribers", detail: "%d subscribers lie outside their provider's range of ids", query: `
			SELECT p.name, COUNT(*)
			FROM subscriber s` + of + `s.provider_id
			WHERE s.id >> ` + subscriberBits + ` <> s.provider_id
			GROUP BY p.id, p.name`},
		{check: "services", detail: "%d services that have not ended belong to no subscriber", query: `
			SELECT p.name, COUNT(*)
			FROM service v` + of + `v.id >> ` + serviceBits + `
			WHERE v.status_id NOT IN ` + ended + ` AND NOT EXISTS (SELECT 1 FROM subscriber s WHERE s.id = v.id >> ` + tokenBits + `)
			GROUP BY p.id, p.name`},
		{check: "usage", detail: "%d services are enabled without an interval of usage, or have one and are not", query: `
			SELECT p.name, COUNT(*)
			FROM service v` + of + `v.id >> ` + serviceBits + `
			WHERE CASE WHEN v.status_id NOT IN ` + notEnabled + ` AND (v.status_id = 1 OR v.last_stable_status_id = 1) THEN 1 ELSE 0 END
				<> (SELECT COUNT(*) FROM enabled_interval i WHERE i.service_id = v.id AND i.end_event IS NULL)
			GROUP BY p.id, p.name`},
		{check: "usage", detail: "%d intervals of usage end before they begin, or belong to no service", query: `
			SELECT p.name, COUNT(*)
			FROM enabled_interval i` + of + `i.service_id >> ` + serviceBits + `
			WHERE i.end_at < i.begin_at OR NOT EXISTS (SELECT 1 FROM service v WHERE v.id = i.service_id)
			GROUP BY p.id, p.name`},
		{check: "operations", detail: "%d services have an operation that is not theirs", query: `
			SELECT p.name, COUNT(*)
			FROM service v` + of + `v.id >> ` + serviceBits + `
			WHERE NOT EXISTS (SELECT 1 FROM operation o WHERE o.id = v.operation_id AND o.service_id = v.id)
			GROUP BY p.id, p.name`},
		{check: "operations", detail: "%d operations wait although their service has another or has come to rest", query: `
			SELECT p.name, COUNT(*)
			FROM operation o` + of + `o.id >> ` + recordBits + `
			WHERE o.` + isWaiting + ` AND NOT EXISTS (SELECT 1 FROM service v WHERE v.id = o.service_id AND v.operation_id = o.id
				AND v.status_id NOT IN ` + atRest + `)
			GROUP BY p.id, p.name`},
		{check: "operations", detail: "%d services wait for an operation that has ended", query: `
			SELECT p.name, COUNT(*)
			FROM service v` + of + `v.id >> ` + serviceBits + `
			WHERE v.status_id IN ` + waiting + `
				AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.id = v.operation_id AND o.` + isWaiting + `)
			GROUP BY p.id, p.name`},
		{check: "outbox", detail: "%d jobs belong to no service", query: `
			SELECT p.name, COUNT(*)
			FROM job j` + of + `j.id >> ` + recordBits + `
			WHERE NOT EXISTS (SELECT 1 FROM service v WHERE v.id = j.service_id)
			GROUP BY p.id, p.name`},
		{check: "schedules", detail: "%d schedules belong to no subscriber", query: `
			SELECT p.name, COUNT(*)
			FROM schedule c` + of + `c.id >> ` + recordBits + `
			WHERE NOT EXISTS (SELECT 1 FROM subscriber s WHERE s.id = c.service_id >> ` + tokenBits + `)
			GROUP BY p.id, p.name`},
	}
}

func numberAboveCounter(table string) string {
	return `SELECT p.name, MAX(x.id) - (p.id << ` + recordBits + `)
		FROM ` + table + ` x JOIN provider p ON p.id = x.id >> ` + recordBits + `
		GROUP BY p.id, p.name, p.last_` + table + `
		HAVING MAX(x.id) - (p.id << ` + recordBits + `) > p.last_` + table
}

func checkInvariants(ctx context.Context, q querier) ([]rules.Finding, error) {
	var all []rules.Finding
	for _, i := range invariants() {
		found, err := list(ctx, q, func(r row, f *rules.Finding) error {
			var n int
			err := r.Scan(&f.Provider, &n)
			f.Check, f.Detail, f.Args = i.check, i.detail, []any{n}
			return err
		}, i.query)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
