package store

import (
	"database/sql"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// Constants of package domain as SQL literals: SQLite and PostgreSQL use a partial index only for a
// statement that repeats its condition. A test compares each with package domain.
const (
	// Number of bits of an id below the id that it contains.
	subscriberBits = `31` // of a subscriber, below its provider
	tokenBits      = `12` // of a service, below its subscriber
	serviceBits    = `43` // of a service, below its provider
	recordBits     = `43` // of an operation, event, job or schedule, below its provider

	skippedEvents = `16777216` // domain.SkippedEvents

	idsEach   = `4096` // a subscriber's services have idsEach ids, from its own id times idsEach
	lastToken = `4095`

	isQueued  = `status_id = 6` // of a service; index service_queue
	isOpen    = `state < 2`     // of a job, due or leased; index job_open
	isDone    = `state = 2`     // of a job
	isDead    = `state = 3`     // of a job; index job_dead
	isWaiting = `state = 1`     // of an operation or a schedule
)

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

// documentText returns the document of a subscriber, or "" if it has been erased.
func documentText(n sql.NullInt64) string {
	if !n.Valid {
		return ""
	}
	return string(cpf.FromNumber(uint64(n.Int64)))
}

// intTarget scans an integer column without reflection, which would be most of the cost of a long
// list.
type intTarget[T ~int | ~int64 | ~uint64 | ~uint8] struct{ to *T }

// ScanInt64 implements pgtype.Int64Scanner.
func (n intTarget[T]) ScanInt64(v pgtype.Int8) error {
	if !v.Valid {
		return errors.New("a column is NULL where a number is expected")
	}
	n.set(v.Int64)
	return nil
}

// set implements intSetter.
func (n intTarget[T]) set(v int64) { *n.to = T(v) }

func fastInt[T ~int | ~int64 | ~uint64 | ~uint8](to *T) intTarget[T] { return intTarget[T]{to} }

const providerColumns = `id, name, active_limit, disabled, all_products, created_at, active_tokens, queued, last_subscriber, last_operation, last_event, last_job, last_schedule`

func scanProvider(r row, p *domain.Provider) error {
	var created int64
	err := r.Scan(fastInt(&p.ID), &p.Name, fastInt(&p.Limit), &p.Disabled, &p.AllProducts, fastInt(&created), fastInt(&p.ActiveTokens), fastInt(&p.Queued),
		fastInt(&p.Subscribers), fastInt(&p.Operations), fastInt(&p.Events), fastInt(&p.Jobs), fastInt(&p.Schedules))
	p.CreatedAt = fromMicros(created)
	return err
}

const subscriberColumns = `s.id, s.document, s.name, s.email, s.phone, s.internet_speed_id, s.customer_plan, s.created_at`

func scanSubscriber(r row, s *domain.Subscriber, more ...any) error {
	var document uint64
	var created int64
	err := r.Scan(append([]any{fastInt(&s.ID), fastInt(&document), &s.Name, &s.Email, &s.Phone, fastInt(&s.SpeedID), &s.Plan, fastInt(&created)}, more...)...)
	s.Document, s.CreatedAt = cpf.FromNumber(document), fromMicros(created)
	return err
}

const serviceColumns = `v.id, v.product_id, v.status_id, v.created_at, v.updated_at, v.operation_id, v.operation_kind, v.last_stable_status_id, v.previous_product_id, v.deferred_trigger, v.email_number`

func scanService(r row, s *domain.Service, more ...any) error {
	var times serviceTimes
	err := r.Scan(append(serviceTargets(s, &times), more...)...)
	*s = times.of(*s)
	return err
}

// serviceTargets returns the scan targets of serviceColumns.
func serviceTargets(s *domain.Service, t *serviceTimes) []any {
	return []any{fastInt(&s.ID), fastInt(&s.ProductID), fastInt(&s.Status), fastInt(&t.created), fastInt(&t.updated), fastInt(&s.Operation), fastInt(&s.Kind),
		fastInt(&s.LastStable), fastInt(&s.OtherProductID), fastInt(&s.Deferred), fastInt(&s.EmailNumber)}
}

// serviceTimes holds a service's times as the database stores them.
type serviceTimes struct{ created, updated int64 }

func (t serviceTimes) of(s domain.Service) domain.Service {
	s.CreatedAt, s.UpdatedAt = fromMicros(t.created), fromMicros(t.updated)
	return s
}

// listedServiceColumns are the columns of a service that a list of subscribers shows: half of them,
// and lists are long.
const listedServiceColumns = `v.id, v.product_id, v.status_id, v.created_at, v.updated_at`

func scanListedService(r row, s *domain.Service) error {
	var times serviceTimes
	err := r.Scan(fastInt(&s.ID), fastInt(&s.ProductID), fastInt(&s.Status), fastInt(&times.created), fastInt(&times.updated))
	*s = times.of(*s)
	return err
}

const operationColumns = `o.id, o.service_id, o.kind, o.state, o.product_id, o.partner_id, o.created_at, o.attempts, o.deadline, o.reason`

func scanOperation(r row, o *domain.Operation, more ...any) error {
	var created int64
	var deadline sql.NullInt64
	err := r.Scan(append([]any{&o.ID, &o.Service, &o.Kind, &o.State, &o.ProductID, &o.Partner, &created, &o.Attempts, &deadline, &o.Reason}, more...)...)
	o.CreatedAt, o.Deadline = fromMicros(created), fromMicros(deadline.Int64)
	return err
}
