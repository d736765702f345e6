package run

import (
	"cmp"
	"context"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/sheet"
)

// Import registers the subscribers of the rows and activates the products of
// those that are new. It is safe for concurrent use.
type Import struct {
	Client           *client.Client
	ActivateExisting bool // activates the products of subscribers that existed before
	// UpdateExisting changes the fields that differ of subscribers that existed
	// before.
	UpdateExisting bool
	DryRun         bool // asks the server what would happen and changes nothing
}

// Singly implements [Job].
func (im *Import) Singly() bool { return false }

// Send implements [Job]. It leaves out subscribers that are known to exist: a server that does not
// report each row might refuse all rows because of one.
func (im *Import) Send(ctx context.Context, b Batch) ([]Result, error) {
	results := make([]Result, len(b.Rows))
	body := make([]api.ImportRow, 0, len(b.Rows))
	indexes := make([]int, 0, len(b.Rows))
	for i, row := range b.Rows {
		if b.Known[i] {
			results[i] = Result{Kind: api.ResultExisting}
			continue
		}
		body, indexes = append(body, row.ImportRow), append(indexes, i)
	}
	if len(body) > 0 {
		answer, err := im.post(ctx, body, b.Key)
		if err != nil {
			return nil, err
		}
		setImportResults(b, indexes, answer, results)
	}
	if im.DryRun {
		return results, nil
	}
	return results, im.updateAndActivate(ctx, b, results)
}

func (im *Import) post(ctx context.Context, body []api.ImportRow, key string) (client.WriteResult[api.ImportResponse], error) {
	if im.DryRun {
		return im.Client.ValidateImport(ctx, body)
	}
	return im.Client.Import(ctx, body, key)
}

// setImportResults sets the results of the rows at the indexes, which were sent.
func setImportResults(b Batch, indexes []int, answer client.WriteResult[api.ImportResponse], results []Result) {
	if !answer.Detailed { // the server accepts the batch without details
		for _, i := range indexes {
			results[i] = Result{Kind: api.ResultSent}
			for _, product := range b.Rows[i].ProductsIDs {
				results[i].Services = append(results[i].Services, Service{ProductID: product})
			}
		}
		return
	}
	for n, r := range inOrder(len(indexes), answer.Value.Results, func(r *api.ImportResult) int { return r.Index }) {
		if i := indexes[n]; r != nil {
			results[i] = importResult(b.Rows[i], r)
		} else {
			results[i] = leftOut(b, i)
		}
	}
}

func importResult(row *sheet.Row, r *api.ImportResult) Result {
	result := Result{Kind: r.Result, Differs: withValue(row, r.Differs)}
	for _, s := range r.Services {
		result.Services = append(result.Services, Service{ProductID: s.ProductID, Status: s.Status, StatusID: s.StatusID, QueuePosition: s.QueuePosition})
	}
	for i, e := range r.Errors {
		if i == 0 {
			result.Code, result.Field = e.Code, e.Field
		} else {
			result.Detail += " | "
		}
		text := cmp.Or(e.Detail, e.Code)
		if e.Field != "" {
			text = e.Field + ": " + text
		}
		result.Detail += text
	}
	return result
}

// ReadBack implements [Job]. A subscriber that did not exist before the run and exists now was
// registered by this batch. Products that the subscriber lacks are activated. If the server has
// forgotten the key, the time of the registration shows whether the subscriber existed before.
func (im *Import) ReadBack(ctx context.Context, b Batch) ([]Result, error) {
	found, err := readSubscribers(ctx, im.Client, b.Rows)
	if err != nil {
		return nil, err
	}
	results := make([]Result, len(b.Rows))
	missing := map[api.Int][]int{}
	for i, s := range found {
		switch {
		case b.Known[i], b.expired && s != nil && isBefore(im.Client, s.CreatedAt, b.begun):
			results[i] = Result{Kind: api.ResultExisting}
			continue
		case s == nil:
			continue
		}
		results[i] = Result{Kind: api.ResultCreated}
		collectMissing(missing, i, b.Rows[i], s, &results[i])
	}
	if err := im.activate(ctx, b, missing, results); err != nil {
		return nil, err
	}
	return results, im.updateAndActivate(ctx, b, results)
}
