package support_test

import (
	"errors"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/support"
)

// All conditions apply to the same service, and an operation's selection considers only
// the newest service of the product.
func TestASelectionNeedsOneServiceThatMeetsAll(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	ago := func(days int) api.Time { return api.Time{Time: now.AddDate(0, 0, -days)} }
	services := []api.Service{
		{ProductID: 1, StatusID: api.StatusCanceled, Status: "canceled", StatusUpdatedAt: ago(90)},
		{ProductID: 2, StatusID: api.StatusOverdue, Status: "overdue", StatusUpdatedAt: ago(5)},
		{ProductID: 1, StatusID: api.StatusActive, Status: "active", StatusUpdatedAt: ago(60)},
		{ProductID: 3, StatusID: 99, Status: "Paused", StatusUpdatedAt: ago(10)},
		{ProductID: 4, StatusID: api.StatusError, Status: "error"}, // without a status time
	}
	overdue, active := api.Status{ID: api.StatusOverdue, Name: "overdue"}, api.Status{ID: api.StatusActive, Name: "active"}
	canceled := api.Status{ID: api.StatusCanceled, Name: "canceled"}
	for _, c := range []struct {
		name   string
		s      support.Selection
		status string // of the picked service; empty for none
		fails  bool
	}{
		{"a status", support.Selection{Statuses: []api.Status{overdue}}, "overdue", false},
		{"one of several", support.Selection{Statuses: []api.Status{{ID: 77}, active}}, "active", false},
		{"a status of the server's own", support.Selection{Statuses: []api.Status{{ID: 98, Name: "paused"}}}, "Paused", false},
		{"a status of another product", support.Selection{Statuses: []api.Status{overdue}, Product: 1}, "", false},
		{"long enough", support.Selection{Statuses: []api.Status{overdue}, Before: ago(4).Time}, "overdue", false},
		{"just not long enough", support.Selection{Statuses: []api.Status{overdue}, Before: ago(5).Time}, "", false},
		{"an old service of the product", support.Selection{Statuses: []api.Status{canceled}, Product: 1}, "canceled", false},
		{"not the service that an operation acts on", support.Selection{Statuses: []api.Status{canceled}, Product: 1, Newest: true}, "", false},
		{"no such product", support.Selection{Product: 9, Newest: true}, "", false},
		{"time unknown", support.Selection{Product: 4, Before: now}, "", true},
		{"time unknown, and not asked for", support.Selection{Product: 4}, "error", false},
		{"time unknown of another", support.Selection{Product: 3, Before: now}, "Paused", false},
	} {
		got, picked, err := c.s.Pick(services)
		if unknown := errors.Is(err, support.ErrNoStatusTime); got.Status != c.status || picked != (c.status != "") || unknown != c.fails {
			t.Errorf("%s: got %q, %v, %v, want %q", c.name, got.Status, picked, err, c.status)
		}
	}
}

// Filter streams a list and stops at the first error.
func TestAFilteredListEndsWithItsFirstError(t *testing.T) {
	broken, read := errors.New("broken"), 0
	list := func(yield func(client.Item[api.Subscriber], error) bool) {
		for i, product := range []api.Int{1, 2, 1, 1, 1} {
			read++
			one := api.Subscriber{Name: string(rune('a' + i)), Services: []api.Service{{ProductID: product}}}
			if !yield(client.Item[api.Subscriber]{Value: one}, map[int]error{3: broken}[i]) {
				return
			}
		}
	}
	var names string
	for item, err := range (support.Selection{Product: 1}).Filter(list) {
		if names += item.Value.Name; err != nil {
			names += " " + err.Error()
		}
	}
	if names != "acd broken" || read != 4 {
		t.Errorf("got %q after %d, want ac and the error of the fourth", names, read)
	}
}
