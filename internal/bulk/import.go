package bulk

import (
	"context"
	"fmt"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/csvfile"
)

// Import registers the subscribers of the rows and activates the products of
// the new ones. It is safe for concurrent use.
type Import struct {
	Client *client.Client
	// Keys tells that the server honours idempotency keys.
	Idempotency bool
	// Before are the documents of the subscribers that existed before the run;
	// only needed where the server keeps no keys.
	ExistingBefore DocumentSet
	// ActivateExisting activates the products of subscribers that exist already.
	ActivateExisting bool
	// UpdateExisting changes what differs of subscribers that exist already.
	UpdateExisting bool
	// DryRun asks what would happen. Nothing is changed.
	DryRun bool
}

var _ Job = (*Import)(nil)

// Known implements [Job].
func (j *Import) Known(row *csvfile.Row) bool { return j.ExistingBefore.has(row.Document) }

// Send implements [Job]. Subscribers that are known to exist are not sent to a
// server that does not tell what became of each row: it might refuse all
// because of one.
func (j *Import) Send(ctx context.Context, b Batch) ([]Result, error) {
	results := make([]Result, len(b.Rows))
	body := make([]api.ImportRow, 0, len(b.Rows))
	places := make([]int, 0, len(b.Rows))
	for i, row := range b.Rows {
		if b.Known[i] {
			results[i] = Result{Kind: api.ResultExisting}
			continue
		}
		body, places = append(body, row.ImportRow), append(places, i)
	}
	if len(body) > 0 {
		answer, err := j.post(ctx, body, b.Key)
		if err != nil {
			return nil, err
		}
		setImportResults(b, places, answer, results)
	}
	if j.DryRun {
		return results, nil
	}
	return results, j.updateAndActivate(ctx, b, results)
}

func (j *Import) post(ctx context.Context, body []api.ImportRow, key string) (client.WriteResult[api.ImportResponse], error) {
	if j.DryRun {
		return j.Client.ValidateImport(ctx, body)
	}
	return j.Client.Import(ctx, body, key)
}

// setImportResults reads the answer into the results of the places that were sent.
func setImportResults(b Batch, places []int, answer client.WriteResult[api.ImportResponse], results []Result) {
	if !answer.Detailed { // another server: it took the batch and says no more
		for _, i := range places {
			results[i] = Result{Kind: api.ResultSent}
		}
		return
	}
	for _, i := range places {
		results[i].Err = fmt.Errorf("the server's answer leaves out the row of line %d", b.Rows[i].Line)
	}
	for _, r := range answer.Value.Results {
		if r.Index >= 0 && r.Index < len(places) {
			results[places[r.Index]] = importResult(b.Rows[places[r.Index]], r)
		}
	}
}

func importResult(row *csvfile.Row, r api.ImportResult) Result {
	result := Result{Kind: r.Result, Differs: differing(row, r.Differs)}
	for _, s := range r.Services {
		result.Services = append(result.Services, Service{ProductID: s.ProductID, Status: s.Status, StatusID: s.StatusID, QueuePosition: s.QueuePosition})
	}
	for i, e := range r.Errors {
		if i == 0 {
			result.Code, result.Field = e.Code, e.Field
		} else {
			result.Detail += " | "
		}
		text := e.Detail
		if text == "" {
			text = e.Code
		}
		if e.Field != "" {
			text = e.Field + ": " + text
		}
		result.Detail += text
	}
	return result
}

// ReadBack implements [Job]: a subscriber that was not there before and is now
// came from this batch. Products that it lacks are activated.
func (j *Import) ReadBack(ctx context.Context, b Batch) ([]Result, error) {
	found, err := readSubscribers(ctx, j.Client, b.Rows)
	if err != nil {
		return nil, err
	}
	results := make([]Result, len(b.Rows))
	missing := map[api.Int][]int{}
	for i, s := range found {
		switch {
		case b.Known[i]:
			results[i] = Result{Kind: api.ResultExisting}
			continue
		case s == nil:
			continue
		}
		results[i] = Result{Kind: api.ResultCreated}
		collectMissing(missing, i, b.Rows[i], s, &results[i])
	}
	if err := j.activate(ctx, b, missing, results); err != nil {
		return nil, err
	}
	return results, j.updateAndActivate(ctx, b, results)
}
