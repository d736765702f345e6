package rules

import (
	"context"

	"ativa/internal/cpf"
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
		sub, err := u.subscriber(ctx, d)
		if err != nil {
			return result, err
		}
		tokens, err := u.services(ctx, []SubscriberID{sub.ID})
		if err != nil {
			return result, err
		}
		s := changing(tokens[sub.ID], from)
		if s == nil {
			return result, refuse(ServiceNotFound)
		}
		b := &batch{unitOfWork: u, req: RequestActivate, cause: u.causedBy(Change.String())}
		result = b.changeProduct(string(sub.Document), s, Change, u.offers[to].Product)
		if result.Kind == ResultFailed {
			return result, &Error{Code: result.Code, Message: result.Detail}
		}
		return result, nil
	})
}

// changeable returns an error if the products alone forbid the change.
func (u *unitOfWork) changeable(from, to int) error {
	old, known := u.offers[from]
	target, sold := u.offers[to]
	switch {
	case !known, !sold || !target.Granted:
		return &Error{Code: UnknownProduct, Message: "a product does not exist or is not sold by this provider"}
	case from == to:
		return &Error{Code: SameProduct, Message: "both products are the same"}
	case !target.Active:
		return &Error{Code: ProductInactive, Message: "the requested product is not active"}
	case old.Can&CanChangeFrom == 0, target.Can&CanChangeTo == 0:
		return &Error{Code: ActionNotAllowed, Message: "one of the products does not allow the change"}
	}
	return nil
}

// changing returns the token of product from, or the one that is being changed from it, or nil.
func changing(tokens []*Service, from int) *Service {
	for _, s := range tokens {
		if s.Status == Changed && s.OtherProductID == from {
			return s
		}
	}
	return tokenOf(tokens, from)
}
