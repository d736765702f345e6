package store

import (
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"ativa/internal/cpf"
)

// Constants of package domain as SQL literals: SQLite and PostgreSQL use a partial index only for a
// statement that repeats its condition. A test compares each with package domain.
const (
	// Number of bits of an id below the id that it contains.
	subscriberBits = `31` // of a subscriber, below its provider
	tokenBits      = `12` // of a service, below its subscriber
	serviceBits    = `43` // of a service, below its provider
	recordBits     = `43` // of an operation, event, delivery or schedule, below its provider

	skippedEvents = `16777216` // domain.SkippedEvents

	idsEach   = `4096` // a subscriber's services have idsEach ids, from its own id times idsEach
	lastToken = `4095`

	isQueued  = `status_id = 6` // of a service; index service_queue
	isOpen    = `state < 2`     // of a delivery, due or leased; index delivery_open
	isDone    = `state = 2`     // of a delivery
	isDead    = `state = 3`     // of a delivery; index delivery_dead
	isWaiting = `state = 1`     // of an operation or a schedule
)

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// A scan target converts a column for its variable. Each function xTargets returns the targets
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
