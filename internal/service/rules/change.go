package rules

import (
	"context"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// ChangeProduct changes one subscriber's service from product from to product to (POST
// /provision/change). Every refusal is an *Error.
func (e *Engine) ChangeProduct(ctx context.Context, call Call, d cpf.Document, from, to int) (Result, error) {
	return once(ctx, e, call, func(ctx context.Context, u *unitOfWork) (result Result, err error) {
		if err := u.loadOffers(ctx); err != nil {
			return result, err
		}
		if err := u.changeable(from, to); err != nil {
			return result, err
		}
		services, err := u.loadServicesOf(ctx, d)
		if err != nil {
			return result, err
		}
		s := changing(services, from)
		if s == nil {
			return result, domain.Refuse(domain.ServiceNotFound)
		}
		result = u.changeProduct(s, domain.Change, u.offers[to].Product, u.causedBy(domain.Change.String()))
		if result.failed() {
			return result, &domain.Error{Code: result.Code, Message: result.Detail}
		}
		result.Document = string(d)
		return result, nil
	})
}

// changeable returns an error if the products alone forbid the change.
func (u *unitOfWork) changeable(from, to int) error {
	old, known := u.offers[from]
	target, sold := u.offers[to]
	switch {
	case !known, !sold || !target.Granted:
		return &domain.Error{Code: domain.UnknownProduct, Message: "a product does not exist or is not sold by this provider"}
	case from == to:
		return &domain.Error{Code: domain.SameProduct, Message: "both products are the same"}
	case !target.Active:
		return &domain.Error{Code: domain.ProductInactive, Message: "the requested product is not active"}
	case old.Can&domain.CanChangeFrom == 0, target.Can&domain.CanChangeTo == 0:
		return &domain.Error{Code: domain.ActionNotAllowed, Message: "one of the products does not allow the change"}
	}
	return nil
}

// changing returns the service of product from, or the one that is being changed from it, or nil.
func changing(services []*domain.Service, from int) *domain.Service {
	for _, s := range services {
		if s.Status == domain.Changed && s.PreviousProductID == from {
			return s
		}
	}
	return findService(services, from)
}
