package client

import (
	"context"
	"iter"
	"net/http"

	"ativa/internal/api"
)

// Schedule schedules an operation for a batch of documents. Documents that fail are no
// error; the results contain them. It needs the extension ExtSchedule.
func (c *Client) Schedule(ctx context.Context, r api.ScheduleRequest, key string) (WriteResult[api.BatchResponse], error) {
	return write[api.BatchResponse](ctx, c, post(api.PathSchedule), r, key, "summary", "results")
}

// ValidateSchedule returns what Schedule would, without any effect.
func (c *Client) ValidateSchedule(ctx context.Context, r api.ScheduleRequest) (WriteResult[api.BatchResponse], error) {
	return write[api.BatchResponse](ctx, c, dryRun(api.PathScheduleValidate), r, "", "summary", "results")
}

// Schedules yields the schedules of the subscriber, or of all if document is empty, in order of
// creation. It needs the extension ExtSchedule.
func (c *Client) Schedules(ctx context.Context, document string) iter.Seq2[Item[api.Schedule], error] {
	cl := get(api.PathSchedule)
	if document != "" {
		cl.query.Set(api.ParamDocument, document)
	}
	return streamList[api.Schedule](ctx, c, cl, "schedules", nil)
}

// CancelSchedule cancels a waiting schedule. It needs the extension ExtSchedule.
func (c *Client) CancelSchedule(ctx context.Context, id, key string) (WriteResult[api.Response], error) {
	if id == "" { // its path would be another one
		return WriteResult[api.Response]{}, &Error{Route: "DELETE " + api.PathScheduleID, Status: http.StatusNotFound, Code: api.CodeScheduleNotFound, Message: "nothing with this id is scheduled"}
	}
	cl := callTo(http.MethodDelete, api.PathScheduleID, api.SchedulePath(id))
	return write[api.Response](ctx, c, cl, nil, key)
}
