package rules

import (
	"context"

	"ativa/internal/service/domain"
)

// maskReason returns a reason given by a partner or an operator as it is stored: with personal
// data masked, and empty if the subscriber is erased (decisions.md 8, Privacy).
func (e *Engine) maskReason(ctx context.Context, id domain.OperationID, reason string) (string, error) {
	if reason == "" {
		return "", nil
	}
	operations, err := e.store.ListOperations(ctx, domain.OperationFilter{IDs: []domain.OperationID{id}})
	if err != nil || len(operations) == 0 {
		return domain.MaskPersonal(reason), err
	}
	service := operations[0].Service
	details, err := e.store.ServiceDetails(ctx, []domain.ServiceID{service})
	if err != nil {
		return "", err
	}
	subscriber := details[service].Subscriber
	if subscriber.ID == 0 {
		return "", nil
	}
	return domain.MaskPersonalOf(reason, subscriber.Name), nil
}
