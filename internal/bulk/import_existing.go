package bulk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/csvfile"
)

// updateAndActivate does for subscribers that exist already what the user asked for
// beyond the import itself. Its keys follow from the key of the batch.
func (j *Import) updateAndActivate(ctx context.Context, b Batch, results []Result) error {
	if !j.ActivateExisting && !j.UpdateExisting {
		return nil
	}
	var rows []*csvfile.Row
	var places []int
	for i := range results {
		if results[i].Kind == api.ResultExisting {
			rows, places = append(rows, b.Rows[i]), append(places, i)
		}
	}
	var found []*api.Subscriber
	if !j.Idempotency { // a server that says nothing about them
		var err error
		if found, err = readSubscribers(ctx, j.Client, rows); err != nil {
			return err
		}
	}
	missing := map[api.Int][]int{}
	for n, i := range places {
		var s *api.Subscriber
		if found != nil {
			if s = found[n]; s == nil {
				continue
			}
			results[i].Differs = differs(rows[n], s)
		}
		if j.UpdateExisting && len(results[i].Differs) > 0 {
			if err := j.update(ctx, b, i, &results[i]); err != nil {
				return err
			}
		}
		if j.ActivateExisting && results[i].Kind == api.ResultExisting {
			collectMissing(missing, i, rows[n], s, &results[i])
		}
	}
	return j.activate(ctx, b, missing, results)
}

// collectMissing adds the services of the row's products that the subscriber has to the
// result, and the place of the row to those that miss the others; a service in
// error is activated once more. s is nil where the server finds that out by itself.
func collectMissing(missing map[api.Int][]int, place int, row *csvfile.Row, s *api.Subscriber, r *Result) {
	for _, p := range row.ProductsIDs {
		if s != nil {
			if service, ok := liveService(s.Services, p); ok && service.StatusID != api.StatusError {
				r.Services = append(r.Services, service)
				continue
			}
		}
		missing[p] = append(missing[p], place)
	}
}

// update sends the fields that differ.
func (j *Import) update(ctx context.Context, b Batch, i int, r *Result) error {
	row := b.Rows[i]
	u := updateOf(&row.ImportRow, r.Differs)
	_, err := j.Client.UpdateSubscriber(ctx, row.Document, u, fmt.Sprintf("%s.u%d", b.Key, row.Line))
	if e, ok := refused(err); ok {
		*r = failed(e.Code, "", e.Message)
		return nil
	}
	r.Updated = err == nil
	return err
}

// updateOf changes the fields to those of the row.
func updateOf(row *api.ImportRow, fields []string) api.SubscriberUpdate {
	var u api.SubscriberUpdate
	for _, field := range fields {
		switch field {
		case api.FieldName:
			u.Name = api.Some(row.Name)
		case api.FieldEmail:
			u.Email = api.Some(row.Email)
		case api.FieldPhone:
			u.Phone = api.Some(row.Phone)
		case api.FieldInternetSpeedID:
			u.InternetSpeedID = row.InternetSpeedID
		case api.FieldCustomerPlan:
			u.CustomerPlan = api.Some(row.CustomerPlan)
		}
	}
	return u
}

// refused tells an answer that says no for good.
func refused(err error) (*client.Error, bool) {
	e, ok := errors.AsType[*client.Error](err)
	return e, ok && (e.Kind() == client.KindRefused || e.Kind() == client.KindNotFound)
}

// activate activates each product for the rows at its places, and adds what
// became of it to their results.
func (j *Import) activate(ctx context.Context, b Batch, places map[api.Int][]int, results []Result) error {
	for _, product := range slices.Sorted(maps.Keys(places)) {
		var documents []string
		for _, i := range places[product] {
			documents = append(documents, b.Rows[i].Document)
		}
		answer, err := j.Client.Provision(ctx, api.Activate, product, documents, fmt.Sprintf("%s.a%d", b.Key, product))
		if e, ok := refused(err); ok {
			for _, i := range places[product] {
				results[i] = failed(e.Code, api.FieldProductsIDs, e.Message)
			}
			continue
		}
		if err != nil {
			return err
		}
		for n, i := range places[product] {
			r := &results[i]
			if !answer.Detailed || n >= len(answer.Value.Results) {
				r.Services = append(r.Services, Service{ProductID: product})
				continue
			}
			switch one := answer.Value.Results[n]; {
			case one.Result == api.ResultFailed:
				*r = failed(one.Code, api.FieldProductsIDs, one.Detail)
			case r.Kind != api.ResultFailed:
				r.Services = append(r.Services, batchService(product, one))
			}
		}
	}
	return nil
}

// differing leaves of the fields that differ those for which the row has a
// value: an empty cell, or a column that the file lacks, changes nothing.
func differing(row *csvfile.Row, fields []string) []string {
	return slices.DeleteFunc(slices.Clone(fields), func(field string) bool {
		switch field {
		case api.FieldCustomerPlan:
			return row.CustomerPlan == ""
		case api.FieldInternetSpeedID:
			return row.InternetSpeedID.Value == api.DefaultInternetSpeed
		}
		return false
	})
}

// differs names the fields of a subscriber that are not as in the row.
func differs(row *csvfile.Row, s *api.Subscriber) []string {
	var fields []string
	for _, f := range []struct {
		name string
		same bool
	}{
		{api.FieldName, row.Name == s.Name},
		{api.FieldEmail, row.Email == s.Email},
		{api.FieldPhone, digits(row.Phone) == digits(s.Phone)},
		{api.FieldInternetSpeedID, row.InternetSpeedID.Value == s.InternetSpeedID},
		{api.FieldCustomerPlan, row.CustomerPlan == s.CustomerPlan},
	} {
		if !f.same {
			fields = append(fields, f.name)
		}
	}
	return differing(row, fields)
}
