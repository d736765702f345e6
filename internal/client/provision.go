package client

import (
	"context"
	"net/http"

	"ativa/internal/api"
)

// Products returns the products that the provider may sell.
func (c *Client) Products(ctx context.Context) ([]Item[api.Product], error) {
	return getList[api.Product](ctx, c, listRoute{api.PathProducts, api.PathProducts, "content_supplier_products"})
}

// Statuses returns the statuses that a service can have.
func (c *Client) Statuses(ctx context.Context) ([]Item[api.Status], error) {
	return getList[api.Status](ctx, c, listRoute{api.PathStatuses, api.PathStatuses, "status"})
}

// Import registers subscribers and activates their products. Rows that fail are
// no error; the results contain them.
func (c *Client) Import(ctx context.Context, rows []api.ImportRow, key string) (WriteResult[api.ImportResponse], error) {
	return c.importTo(ctx, call{route: api.PathImport}, rows, key)
}

// ValidateImport returns what Import would, without any effect. It needs the
// extension ExtValidate.
func (c *Client) ValidateImport(ctx context.Context, rows []api.ImportRow) (WriteResult[api.ImportResponse], error) {
	return c.importTo(ctx, call{route: api.PathImportValidate, readOnly: true}, rows, "")
}

func (c *Client) importTo(ctx context.Context, cl call, rows []api.ImportRow, key string) (WriteResult[api.ImportResponse], error) {
	cl.method, cl.path = http.MethodPost, cl.route
	return write[api.ImportResponse](ctx, c, cl, api.ImportRequest{Subscribers: rows}, key, "summary", "results")
}

// Provision requests an operation other than change for a batch of documents.
// Documents that fail are no error; the results contain them.
func (c *Client) Provision(ctx context.Context, op api.Operation, product api.Int, documents []string, key string) (WriteResult[api.BatchResponse], error) {
	cl := call{method: http.MethodPost, route: op.Path(), path: op.Path()}
	return write[api.BatchResponse](ctx, c, cl, api.BatchRequest{Product: product, Documents: documents}, key, "summary", "results")
}

// ValidateProvision returns what Provision would, without any effect. It needs the
// extension ExtValidate.
func (c *Client) ValidateProvision(ctx context.Context, op api.Operation, product api.Int, documents []string) (WriteResult[api.BatchResponse], error) {
	cl := call{method: http.MethodPost, route: op.ValidatePath(), path: op.ValidatePath(), readOnly: true}
	return write[api.BatchResponse](ctx, c, cl, api.BatchRequest{Product: product, Documents: documents}, "", "summary", "results")
}

// Change replaces the product of one active service.
func (c *Client) Change(ctx context.Context, r api.ChangeRequest, key string) (WriteResult[api.ChangeResponse], error) {
	cl := call{method: http.MethodPost, route: api.PathChange, path: api.PathChange}
	return write[api.ChangeResponse](ctx, c, cl, r, key, "result")
}

// ValidateChange returns what Change would, without any effect. It needs the
// extension ExtValidate.
func (c *Client) ValidateChange(ctx context.Context, r api.ChangeRequest) (WriteResult[api.ChangeResponse], error) {
	path := api.Change.ValidatePath()
	cl := call{method: http.MethodPost, route: path, path: path, readOnly: true}
	return write[api.ChangeResponse](ctx, c, cl, r, "", "result")
}
