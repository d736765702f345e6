package client

import (
	"context"

	"ativa/internal/api"
)

// Products returns the products that the provider may sell.
func (c *Client) Products(ctx context.Context) ([]Item[api.Product], error) {
	return getList[api.Product](ctx, c, get(api.PathProducts), "content_supplier_products")
}

// Statuses returns the statuses that a service can have.
func (c *Client) Statuses(ctx context.Context) ([]Item[api.Status], error) {
	return getList[api.Status](ctx, c, get(api.PathStatuses), "status")
}

// Import registers subscribers and activates their products. Rows that fail are
// no error; the results contain them.
func (c *Client) Import(ctx context.Context, rows []api.ImportRow, key string) (WriteResult[api.ImportResponse], error) {
	return write[api.ImportResponse](ctx, c, post(api.PathImport), api.ImportRequest{Subscribers: rows}, key, "summary", "results")
}

// ValidateImport returns what Import would, without any effect. It needs the
// extension ExtValidate.
func (c *Client) ValidateImport(ctx context.Context, rows []api.ImportRow) (WriteResult[api.ImportResponse], error) {
	return write[api.ImportResponse](ctx, c, dryRun(api.PathImportValidate), api.ImportRequest{Subscribers: rows}, "", "summary", "results")
}

// Provision requests an operation other than change for a batch of documents.
// Documents that fail are no error; the results contain them.
func (c *Client) Provision(ctx context.Context, op api.Operation, product api.Int, documents []string, key string) (WriteResult[api.BatchResponse], error) {
	return write[api.BatchResponse](ctx, c, post(op.Path()), api.BatchRequest{Product: product, Documents: documents}, key, "summary", "results")
}

// ValidateProvision returns what Provision would, without any effect. It needs the
// extension ExtValidate.
func (c *Client) ValidateProvision(ctx context.Context, op api.Operation, product api.Int, documents []string) (WriteResult[api.BatchResponse], error) {
	return write[api.BatchResponse](ctx, c, dryRun(op.ValidatePath()), api.BatchRequest{Product: product, Documents: documents}, "", "summary", "results")
}

// Change replaces the product of one active service.
func (c *Client) Change(ctx context.Context, r api.ChangeRequest, key string) (WriteResult[api.ChangeResponse], error) {
	return write[api.ChangeResponse](ctx, c, post(api.PathChange), r, key, "result")
}

// ValidateChange returns what Change would, without any effect. It needs the
// extension ExtValidate.
func (c *Client) ValidateChange(ctx context.Context, r api.ChangeRequest) (WriteResult[api.ChangeResponse], error) {
	return write[api.ChangeResponse](ctx, c, dryRun(api.Change.ValidatePath()), r, "", "result")
}
