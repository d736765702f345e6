package client

import (
	"context"
	"encoding/json"
	"net/http"

	"ativa/internal/api"
)

// Products is the list of the products that the provider may sell.
func (c *Client) Products(ctx context.Context) ([]Record[api.Product], error) {
	return all[api.Product](ctx, c, list{api.PathProducts, api.PathProducts, "content_supplier_products"})
}

// Statuses is the list of the statuses that a service can have.
func (c *Client) Statuses(ctx context.Context) ([]Record[api.Status], error) {
	return all[api.Status](ctx, c, list{api.PathStatuses, api.PathStatuses, "status"})
}

// Import registers subscribers and activates their products. It is no error
// when some or all of the rows failed: the results say so.
func (c *Client) Import(ctx context.Context, rows []api.ImportRow, key string) (Answer[api.ImportAnswer], error) {
	return c.importTo(ctx, call{route: api.PathImport}, rows, key)
}

// ValidateImport is what Import would answer, without doing anything. It is
// the extension ExtValidate.
func (c *Client) ValidateImport(ctx context.Context, rows []api.ImportRow) (Answer[api.ImportAnswer], error) {
	return c.importTo(ctx, call{route: api.PathImportValidate, read: true}, rows, "")
}

func (c *Client) importTo(ctx context.Context, cl call, rows []api.ImportRow, key string) (Answer[api.ImportAnswer], error) {
	cl.method, cl.path = http.MethodPost, cl.route
	request := api.ImportRequest{Subscribers: rows}
	body := json.RawMessage(request.AppendJSON(make([]byte, 0, 256*(len(rows)+1))))
	return write[api.ImportAnswer](ctx, c, cl, body, key, "summary", "results")
}

// Provision runs an operation other than change for a batch of documents. It
// is no error when some or all of them failed: the results say so.
func (c *Client) Provision(ctx context.Context, op api.Operation, product api.Int, documents []string, key string) (Answer[api.BatchAnswer], error) {
	cl := call{method: http.MethodPost, route: op.Path(), path: op.Path()}
	return write[api.BatchAnswer](ctx, c, cl, api.BatchRequest{Product: product, Documents: documents}, key, "summary", "results")
}

// ValidateProvision is what Provision would answer, without doing anything. It
// is the extension ExtValidate.
func (c *Client) ValidateProvision(ctx context.Context, op api.Operation, product api.Int, documents []string) (Answer[api.BatchAnswer], error) {
	cl := call{method: http.MethodPost, route: op.ValidatePath(), path: op.ValidatePath(), read: true}
	return write[api.BatchAnswer](ctx, c, cl, api.BatchRequest{Product: product, Documents: documents}, "", "summary", "results")
}

// Change replaces the product of one active service.
func (c *Client) Change(ctx context.Context, r api.ChangeRequest, key string) (Answer[api.ChangeAnswer], error) {
	cl := call{method: http.MethodPost, route: api.PathChange, path: api.PathChange}
	return write[api.ChangeAnswer](ctx, c, cl, r, key, "result")
}

// ValidateChange is what Change would answer, without doing anything. It is
// the extension ExtValidate.
func (c *Client) ValidateChange(ctx context.Context, r api.ChangeRequest) (Answer[api.ChangeAnswer], error) {
	path := api.Change.ValidatePath()
	cl := call{method: http.MethodPost, route: path, path: path, read: true}
	return write[api.ChangeAnswer](ctx, c, cl, r, "", "result")
}
