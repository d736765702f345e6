package store

import (
	"strconv"
	"strings"

	"ativa/internal/provision"
)

// Numbers of package provision, as statements have them: literals, because a
// partial index serves only a statement that repeats its condition. A test
// compares each with what provision says.
const (
	// How many bits of an id are below the one that it carries.
	subscriberBits = `31` // of a subscriber, below its provider
	tokenBits      = `12` // of a service, below its subscriber
	serviceBits    = `43` // of a service, below its provider
	recordBits     = `43` // of an operation, event or job, below its provider

	// The services of a subscriber have idsEach ids, from its own times idsEach on.
	idsEach   = `4096`
	lastToken = `4095`

	isQueued  = `status_id = 6`   // of a service; index service_queue
	isOpen    = `state < 2`       // of a job, due or leased; index job_open
	isDone    = `state = 2`       // of a job
	isDead    = `state = 3`       // of a job; index job_dead
	isWaiting = `state = 1`       // of an operation
	isSettled = `state IN (1, 2)` // of a report, applied or stale
)

// statuses is a list to look for a status in.
func statuses(all ...provision.Status) string {
	ids := make([]string, len(all))
	for i, s := range all {
		ids[i] = strconv.Itoa(int(s))
	}
	return `(` + strings.Join(ids, `, `) + `)`
}
