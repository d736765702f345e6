package client

import (
	"context"

	"ativa/internal/api"
)

// Deliveries returns what became of the e-mails, callbacks and partner requests of a
// subscriber, newest first. It needs the extension ExtDeliveries.
func (c *Client) Deliveries(ctx context.Context, document string) ([]Item[api.Delivery], error) {
	return getList[api.Delivery](ctx, c, listRoute{api.PathDeliveries, api.DeliveriesPath(document), "deliveries"})
}
