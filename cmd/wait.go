package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/render"
)

const (
	waitLimit    = 10 * time.Minute // without --timeout
	waitInterval = 500 * time.Millisecond
)

// wait reads the subscribers of accepted results again until each status is
// final, and writes the last seen status into the results. It gives up after
// --timeout with exit 8, and at once on what no partner will end: a click of
// the subscriber, a place in the queue.
func (e *env) wait(ctx context.Context, c *client.Client, product api.Int, results []api.BatchResult) error {
	limit := e.global.timeout
	if limit == 0 {
		limit = waitLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	progress := render.NewProgress(e.err, render.Screen{}, render.ProgressOptions{Label: "waiting", Unit: "services", Total: int64(len(results)), Quiet: e.global.quiet})
	defer progress.Close()
	pending := make([]int, 0, len(results))
	for i, r := range results {
		if r.Result != api.ResultFailed {
			pending = append(pending, i)
		}
	}
	told := ""
	for {
		still, err := stillPending(ctx, c, product, results, pending)
		if err != nil && ctx.Err() == nil {
			return err
		}
		progress.Add(len(pending) - len(still))
		if len(still) == 0 && err == nil {
			return nil
		}
		pending = still
		if now := pendingWords(results, pending); now != told {
			told = now
			e.remark("%s", told)
		}
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
				return &failure{exit: exitPending, code: "pending", message: fmt.Sprintf("%d services are not final after %s", len(pending), limit),
					hint: "they go on by themselves; look again with `ativa subscribers get DOC`"}
			}
			return ctx.Err()
		case <-time.After(waitInterval):
		}
	}
}

// stillPending reads the pending ones and returns those that are not final.
func stillPending(ctx context.Context, c *client.Client, product api.Int, results []api.BatchResult, pending []int) ([]int, error) {
	var still []int
	for n, i := range pending {
		s, err := c.Subscriber(ctx, results[i].Document)
		if err != nil {
			return append(still, pending[n:]...), err
		}
		service, ok := lastToken(s.Value.Services, product)
		if !ok {
			continue
		}
		status, id := service.Status, service.StatusID
		results[i].Status, results[i].StatusID = &status, &id
		if !isFinal(id) {
			still = append(still, i)
		}
	}
	return still, nil
}

// isFinal reports whether nothing further will happen by itself. The API
// files error and canceledWithoutActivation under intermediate, but neither
// ever moves on its own.
func isFinal(id api.Int) bool {
	return api.CategoryOf(id) == api.CategoryFinal || id == api.StatusError || id == api.StatusCanceledWithoutActivation
}

// pendingWords says in words what the first pending service waits for.
func pendingWords(results []api.BatchResult, pending []int) string {
	if len(pending) == 0 {
		return ""
	}
	first := results[pending[0]]
	return fmt.Sprintf("%s %s", mask(first.Document), firstOf(meaning(text(first.Status)), "is "+text(first.Status)))
}
