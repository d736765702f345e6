package support

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
)

// Selection selects subscribers by the state of their services: those with a service that meets
// all conditions (cli.md, Selecting). It needs only a list of subscribers, so it works on any
// server.
type Selection struct {
	Statuses []api.Status // by id or name; empty means every status
	Product  api.Int      // 0 means every product
	Before   time.Time    // the status has not changed since; zero means any
	// Newest considers only the newest service of the product, the one that an operation acts on.
	Newest bool
}

// ErrNoStatusTime is the error of a selection by time if the server does not report status times.
var ErrNoStatusTime = errors.New("the server does not say since when a service has its status")

// Pick returns the service that matches, and whether one does. The only error is
// [ErrNoStatusTime].
func (s Selection) Pick(services []api.Service) (api.Service, bool, error) {
	if s.Newest {
		newest, has := api.NewestService(services, s.Product)
		if !has {
			return api.Service{}, false, nil
		}
		services = []api.Service{newest}
	}
	for _, service := range services {
		if s.Product != 0 && service.ProductID != s.Product || !s.hasStatus(service) {
			continue
		}
		if s.Before.IsZero() {
			return service, true, nil
		}
		if service.StatusUpdatedAt.IsZero() {
			return api.Service{}, false, ErrNoStatusTime
		}
		if service.StatusUpdatedAt.Before(s.Before) {
			return service, true, nil
		}
	}
	return api.Service{}, false, nil
}

func (s Selection) hasStatus(service api.Service) bool {
	return len(s.Statuses) == 0 || slices.ContainsFunc(s.Statuses, func(wanted api.Status) bool {
		return wanted.ID == service.StatusID || strings.EqualFold(wanted.Name, service.Status)
	})
}

// Filter yields the selected subscribers, in constant memory, and ends after the first error.
func (s Selection) Filter(all iter.Seq2[client.Item[api.Subscriber], error]) iter.Seq2[client.Item[api.Subscriber], error] {
	return func(yield func(client.Item[api.Subscriber], error) bool) {
		for item, err := range all {
			picked := false
			if err == nil {
				_, picked, err = s.Pick(item.Value.Services)
			}
			if (picked || err != nil) && !yield(item, err) || err != nil {
				return
			}
		}
	}
}
