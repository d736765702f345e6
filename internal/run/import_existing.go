package run

import (
	"context"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strings"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/cpf"
	"ativa/internal/lifecycle"
	"ativa/internal/sheet"
)

// updateAndActivate updates and activates the subscribers that existed before, as the user asked.
// The keys of its requests derive from the key of the batch. If the run ends meanwhile, it sends
// nothing further, and the next run sends the batch again.
func (im *Import) updateAndActivate(ctx context.Context, b Batch, results []Result) error {
	if !im.ActivateExisting && !im.UpdateExisting {
		return nil
	}
	var rows []*sheet.Row
	var indexes []int
	for i := range results {
		if results[i].Kind == api.ResultExisting {
			rows, indexes = append(rows, b.Rows[i]), append(indexes, i)
		}
	}
	var found []*api.Subscriber
	if !b.idempotency { // the server does not report what differs
		var err error
		if found, err = readSubscribers(ctx, im.Client, rows); err != nil {
			return err
		}
	}
	missing := map[api.Int][]int{}
	for n, i := range indexes {
		var s *api.Subscriber
		if found != nil {
			if s = found[n]; s == nil {
				continue
			}
			results[i].Differs = differs(rows[n], s)
		}
		if im.UpdateExisting && len(results[i].Differs) > 0 {
			if cause := b.stopCause(); cause != nil {
				results[i] = b.unfinished(results[i], cause)
				continue
			}
			if err := im.update(ctx, b, i, &results[i]); err != nil {
				return err
			}
		}
		if im.ActivateExisting && results[i].Kind == api.ResultExisting {
			collectMissing(missing, i, rows[n], s, &results[i])
		}
	}
	return im.activate(ctx, b, missing, results)
}

// collectMissing adds the subscriber's services for the row's products to r, and the index of the
// row to missing for each product that the subscriber lacks. A service in error counts as
// missing. s is nil if the server determines that itself.
func collectMissing(missing map[api.Int][]int, index int, row *sheet.Row, s *api.Subscriber, r *Result) {
	for _, p := range row.ProductsIDs {
		if s != nil {
			if service, ok := lastService(s.Services, p); ok && !lifecycle.NeedsActivation(service.StatusID) {
				if r.Kind == api.ResultExisting {
					service.Previous = service.Status
				}
				r.Services = append(r.Services, service)
				continue
			}
		}
		missing[p] = append(missing[p], index)
	}
}

// update changes the fields of the i-th subscriber that differ from the row.
func (im *Import) update(ctx context.Context, b Batch, i int, r *Result) error {
	row := b.Rows[i]
	u := updateOf(&row.ImportRow, r.Differs)
	_, err := im.Client.UpdateSubscriber(ctx, row.Document, u, keyOf(b, "u", row.Line, r.Differs))
	if e, ok := refused(err); ok {
		*r = failed(e.Code, "", e.Message)
		return nil
	}
	r.Updated = err == nil
	return err
}

// updateOf returns the update of the fields to the values of the row.
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

// activate activates each product for the rows that lack it, with one request per product, and
// adds the services to their results.
func (im *Import) activate(ctx context.Context, b Batch, missing map[api.Int][]int, results []Result) error {
	for _, product := range slices.Sorted(maps.Keys(missing)) {
		if cause := b.stopCause(); cause != nil {
			for _, i := range missing[product] {
				results[i] = b.unfinished(results[i], cause)
			}
			continue
		}
		var documents []string
		for _, i := range missing[product] {
			documents = append(documents, b.Rows[i].Document)
		}
		answer, err := im.Client.Provision(ctx, api.Activate, product, documents, keyOf(b, "a", int(product), documents))
		if e, ok := refused(err); ok {
			for _, i := range missing[product] {
				results[i] = failed(e.Code, api.FieldProductsIDs, e.Message)
			}
			continue
		}
		if err != nil {
			return err
		}
		addActivations(b, product, missing[product], answer, results)
	}
	return nil
}

// keyOf returns the key of a request after that of the batch. When the batch is sent again, other fields
// may differ, or an update that was refused may be accepted: then the request is another one.
func keyOf(b Batch, kind string, number int, parts []string) string {
	return fmt.Sprintf("%s.%s%d.%x", b.Key, kind, number, crc32.ChecksumIEEE([]byte(strings.Join(parts, " "))))
}

// unfinished returns the result of a row whose last requests were not sent.
func (b Batch) unfinished(r Result, cause error) Result {
	if b.unclear || r.Updated || len(r.Services) > 0 || r.Err != nil && !r.IsNotSent() {
		return Result{Err: cause}
	}
	return Result{Err: &notSentError{cause}}
}

// addActivations adds the outcome of an activation to the results at the indexes of the documents
// that were sent.
func addActivations(b Batch, product api.Int, indexes []int, answer client.WriteResult[api.BatchResponse], results []Result) {
	if !answer.Detailed { // the server accepts the batch without details
		for _, i := range indexes {
			results[i].Services = append(results[i].Services, Service{ProductID: product})
		}
		return
	}
	for n, one := range inOrder(len(indexes), answer.Value.Results, batchIndex) {
		i := indexes[n]
		switch r := &results[i]; {
		case one == nil:
			*r = leftOut(b, i)
		case one.Result == api.ResultFailed:
			*r = failed(one.Code, api.FieldProductsIDs, one.Detail)
		case r.Kind != api.ResultFailed:
			r.Services = append(r.Services, batchService(product, one))
		}
	}
}

// withValue returns the fields for which the row has a value: an empty cell and a missing column
// change nothing.
func withValue(row *sheet.Row, fields []string) []string {
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

// differs returns the fields in which the subscriber and the row differ.
func differs(row *sheet.Row, s *api.Subscriber) []string {
	var fields []string
	for _, f := range []struct {
		name string
		same bool
	}{
		{api.FieldName, row.Name == s.Name},
		{api.FieldEmail, row.Email == s.Email},
		{api.FieldPhone, cpf.OnlyDigits(row.Phone) == cpf.OnlyDigits(s.Phone)},
		{api.FieldInternetSpeedID, row.InternetSpeedID.Value == s.InternetSpeedID},
		{api.FieldCustomerPlan, row.CustomerPlan == s.CustomerPlan},
	} {
		if !f.same {
			fields = append(fields, f.name)
		}
	}
	return withValue(row, fields)
}
