package server

import (
	"net/http"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

func (s *Server) deliveries(c *requestContext) error {
	all, err := s.reports.SubscriberDeliveries(c.r.Context(), c.Provider, c.document)
	if err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, api.DeliveriesResponse{Deliveries: DeliveriesOf(all, s.rules.Now()), Response: api.ResponseSuccess})
}

// DeliveriesOf returns deliveries as the API writes them.
func DeliveriesOf(all []domain.SubscriberDelivery, now time.Time) []api.Delivery {
	out := make([]api.Delivery, len(all))
	for i := range all {
		d := &all[i]
		out[i] = api.Delivery{
			ID: d.ID.String(), Kind: d.Kind.String(), ProductID: api.Int(d.Operation.ProductID),
			OperationID: api.NullableString(d.Operation.ID.String()), State: string(d.StateAt(now)), Attempts: api.Int(d.Attempts),
			RequestedAt: api.At(d.CreatedAt), LastAttemptAt: api.At(d.LastAttemptAt), NextAttemptAt: api.At(d.NextAttempt(now)),
			Error: api.NullableString(d.LastError), OpenedAt: api.At(d.OpenedAt),
		}
	}
	return out
}
