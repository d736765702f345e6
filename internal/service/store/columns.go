package store

import (
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

// A scan target converts a column for its variable. Each function xTargets below returns the targets
// of xColumns.

// intTarget scans an integer column without reflection, which would be most of the cost of a long
// list.
type intTarget[T ~int | ~int64 | ~uint64 | ~uint8] struct{ to *T }

// ScanInt64 implements pgtype.Int64Scanner, on SQLite too.
func (n intTarget[T]) ScanInt64(v pgtype.Int8) error {
	if !v.Valid {
		return errors.New("a column is NULL where a number is expected")
	}
	*n.to = T(v.Int64)
	return nil
}

func fastInt[T ~int | ~int64 | ~uint64 | ~uint8](to *T) intTarget[T] { return intTarget[T]{to} }

// timeTarget scans microseconds; 0 and NULL are the zero time.
type timeTarget struct{ to *time.Time }

func (t timeTarget) ScanInt64(v pgtype.Int8) error {
	if *t.to = (time.Time{}); v.Int64 != 0 {
		*t.to = time.UnixMicro(v.Int64).UTC()
	}
	return nil
}

func asTime(to *time.Time) timeTarget { return timeTarget{to} }

// documentTarget scans the document of a subscriber; NULL, for an erased one, is "".
type documentTarget[T ~string] struct{ to *T }

func (d documentTarget[T]) ScanInt64(v pgtype.Int8) error {
	if *d.to = ""; v.Valid {
		*d.to = T(cpf.FromNumber(uint64(v.Int64)))
	}
	return nil
}

func asDocument[T ~string](to *T) documentTarget[T] { return documentTarget[T]{to} }

const providerColumns = `id, name, active_limit, disabled, all_products, created_at, active_tokens, queued, last_subscriber, last_operation, last_event, last_job, last_schedule`

func providerTargets(p *domain.Provider) []any {
	return []any{fastInt(&p.ID), &p.Name, fastInt(&p.Limit), &p.Disabled, &p.AllProducts, asTime(&p.CreatedAt), fastInt(&p.ActiveTokens), fastInt(&p.Queued),
		fastInt(&p.Subscribers), fastInt(&p.Operations), fastInt(&p.Events), fastInt(&p.Jobs), fastInt(&p.Schedules)}
}

const subscriberColumns = `s.id, s.document, s.name, s.email, s.phone, s.internet_speed_id, s.customer_plan, s.created_at`

func subscriberTargets(s *domain.Subscriber) []any {
	return []any{fastInt(&s.ID), asDocument(&s.Document), &s.Name, &s.Email, &s.Phone, fastInt(&s.SpeedID), &s.Plan, asTime(&s.CreatedAt)}
}

const serviceColumns = `v.id, v.product_id, v.status_id, v.created_at, v.updated_at, v.operation_id, v.operation_kind, v.last_stable_status_id, v.previous_product_id, v.deferred_trigger, v.email_number`

func serviceTargets(s *domain.Service) []any {
	return append(listedServiceTargets(s), fastInt(&s.Operation), fastInt(&s.Kind),
		fastInt(&s.LastStable), fastInt(&s.OtherProductID), fastInt(&s.Deferred), fastInt(&s.EmailNumber))
}

// listedServiceColumns are the columns of a service that a list of subscribers shows: half of them,
// and lists are long.
const listedServiceColumns = `v.id, v.product_id, v.status_id, v.created_at, v.updated_at`

func listedServiceTargets(s *domain.Service) []any {
	return []any{fastInt(&s.ID), fastInt(&s.ProductID), fastInt(&s.Status), asTime(&s.CreatedAt), asTime(&s.UpdatedAt)}
}

const operationColumns = `o.id, o.service_id, o.kind, o.state, o.product_id, o.partner_id, o.created_at, o.attempts, o.deadline, o.reason`

func operationTargets(o *domain.Operation) []any {
	return []any{&o.ID, &o.Service, &o.Kind, &o.State, &o.ProductID, &o.Partner, asTime(&o.CreatedAt), &o.Attempts, asTime(&o.Deadline), &o.Reason}
}
