package store

import (
	"encoding/binary"
	"fmt"

	"ativa/internal/provision"
)

// A run is several events in one row: what an import records of subscribers that it
// creates one after the other, with their first services. The row has the id of the
// last event and the columns of the first, which creates a subscriber; the column
// events counts them, and the column run holds for each further one, as varints,
//
//	0, how many ids are left out before the subscriber that it creates
//	the token's number in the subscriber, product, status, what to add to the operation before
const (
	minRun = 8
	maxRun = 100
)

// splitRuns takes the runs out of events that ascend by id.
func splitRuns(all []provision.Event) (single []provision.Event, runs []eventRow) {
	for len(all) > 0 {
		n := runLength(all)
		if n < minRun {
			n = max(n, 1)
			single = append(single, all[:n]...)
		} else {
			runs = append(runs, packRun(all[:n]))
		}
		all = all[n:]
	}
	return single, runs
}

// runLength returns how many events, from the first on, can be a run. What follows a
// full run begins with a new subscriber.
func runLength(all []provision.Event) (n int) {
	before := all[0]
	before.ID, before.Subscriber = before.ID-1, before.Subscriber-1
	if all[0].Type != provision.SubscriberCreated || !continuesRun(&before, &all[0]) {
		return 0
	}
	begins := 0
	for n = 1; n < len(all) && continuesRun(&all[n-1], &all[n]); n++ {
		if n == maxRun {
			return begins
		}
		if all[n].Type == provision.SubscriberCreated {
			begins = n
		}
	}
	return n
}

// continuesRun reports whether the run's encoding can tell an event from the one before.
func continuesRun(before, e *provision.Event) bool {
	told := provision.Event{ID: before.ID + 1, At: before.At, Type: e.Type, Subscriber: e.Subscriber,
		Trigger: before.Trigger, Actor: before.Actor, Token: before.Token, Reason: before.Reason}
	switch e.Type {
	case provision.SubscriberCreated:
		return e.Subscriber > before.Subscriber && *e == told
	case provision.StatusChanged:
		told.Service, told.ProductID, told.Status, told.Operation = e.Service, e.ProductID, e.Status, e.Operation
		first, last := before.Subscriber.Services()
		return e.Subscriber == before.Subscriber && e.Service > first && e.Service <= last && *e == told
	}
	return false
}

func packRun(all []provision.Event) eventRow {
	row := eventRow{Event: all[0], events: int64(len(all)), run: make([]byte, 0, 4*len(all))}
	row.ID = all[len(all)-1].ID
	var operation provision.OperationID
	for i := 1; i < len(all); i++ {
		e := &all[i]
		if e.Type == provision.SubscriberCreated {
			row.run = binary.AppendUvarint(append(row.run, 0), uint64(e.Subscriber-all[i-1].Subscriber-1))
			continue
		}
		first, _ := e.Subscriber.Services()
		row.run = binary.AppendUvarint(row.run, uint64(e.Service-first))
		row.run = binary.AppendUvarint(row.run, uint64(e.ProductID))
		row.run = binary.AppendUvarint(row.run, uint64(e.Status))
		row.run = binary.AppendVarint(row.run, int64(e.Operation-operation))
		operation = e.Operation
	}
	return row
}

// expand calls fn for each event of a row, in order. The value is reused.
func (r *eventRow) expand(fn func(*eventRow) error) error {
	e := &r.Event
	last := e.ID
	e.ID -= provision.EventID(r.events - 1)
	var operation provision.OperationID
	at := runReader{rest: r.run}
	for ; ; e.ID++ {
		if err := fn(r); err != nil || e.ID == last {
			return err
		}
		if token := at.number(); token == 0 {
			e.Type, e.Subscriber = provision.SubscriberCreated, e.Subscriber+1+provision.SubscriberID(at.number())
			e.Service, e.ProductID, e.Status, e.Operation = 0, 0, 0, 0
		} else {
			first, _ := e.Subscriber.Services()
			e.Type, e.Service = provision.StatusChanged, first+provision.ServiceID(token)
			e.ProductID, e.Status = int(at.number()), provision.Status(at.number())
			operation += provision.OperationID(at.difference())
			e.Operation = operation
		}
		e.Document = ""
		if at.damaged {
			return fmt.Errorf("the %d events up to %d are damaged; `ativa admin check` finds what else is", r.events, last)
		}
	}
}

// runReader reads the numbers of a run.
type runReader struct {
	rest    []byte
	damaged bool
}

func (r *runReader) number() uint64 {
	v, n := binary.Uvarint(r.rest)
	r.skip(n)
	return v
}

func (r *runReader) difference() int64 {
	v, n := binary.Varint(r.rest)
	r.skip(n)
	return v
}

func (r *runReader) skip(n int) {
	if n <= 0 {
		r.damaged = true
		return
	}
	r.rest = r.rest[n:]
}
