package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// subscriberBody is the body of a subscriber. It has the fields of [rules.Fields].
type subscriberBody struct {
	Name     domain.Optional[string] `json:"name"`
	Email    domain.Optional[string] `json:"email"`
	Document domain.Optional[string] `json:"document"`
	Phone    domain.Optional[string] `json:"phone"`
	SpeedID  domain.Optional[int]    `json:"internet_speed_id"`
	Plan     domain.Optional[string] `json:"customer_plan"`
}

func (s *Server) getSubscriber(c *requestContext) error {
	sub, products, err := s.reports.SubscriberWithProducts(c.r.Context(), c.Provider, c.document)
	if err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, api.SubscriberResponse{Subscriber: SubscriberOf(&sub, products), Response: api.ResponseSuccess})
}

func (s *Server) createSubscriber(c *requestContext, body subscriberBody) error {
	created, err := write(c, func(call rules.Call) (domain.SubscriberServices, error) {
		return s.rules.CreateSubscriber(c.r.Context(), call, rules.Fields(body))
	})
	if err != nil {
		return err
	}
	c.Header().Set("Location", c.prefix()+api.SubscriberPath(string(created.Document)))
	return c.writeJSON(http.StatusCreated, api.SubscriberResponse{Subscriber: catalogue(nil).subscriber(&created), Response: api.ResponseSuccess})
}

// prefix returns the part of the path that precedes the path of the route.
func (c *requestContext) prefix() string {
	if strings.HasPrefix(c.r.URL.Path, api.Prefix+"/") {
		return api.Prefix
	}
	return ""
}

func (s *Server) updateSubscriber(c *requestContext, body subscriberBody) error {
	products, err := s.catalogue(c.r.Context())
	if err != nil {
		return err
	}
	updated, err := write(c, func(call rules.Call) (domain.SubscriberServices, error) {
		return s.rules.UpdateSubscriber(c.r.Context(), call, c.document, rules.Fields(body))
	})
	if err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, api.SubscriberResponse{Subscriber: products.subscriber(&updated), Response: api.ResponseSuccess})
}

func (s *Server) deleteSubscriber(c *requestContext) error {
	_, err := write(c, func(call rules.Call) (struct{}, error) {
		return struct{}{}, s.rules.DeleteSubscriber(c.r.Context(), call, c.document)
	})
	if err != nil {
		return err
	}
	return c.writeSuccess()
}

type resendBody struct {
	Document *string `json:"document" required:"yes"`
}

func (s *Server) resend(c *requestContext, body resendBody) error {
	return c.resend(body, s.rules.Resend)
}

// resendProduct sends a new activation e-mail for one service. A product that is not a number is
// treated as unknown.
func (s *Server) resendProduct(c *requestContext, body resendBody) error {
	product, _ := strconv.Atoi(c.r.PathValue(api.WildcardProduct))
	return c.resend(body, func(ctx context.Context, call rules.Call, d cpf.Document) ([]rules.ResendResult, error) {
		return s.rules.ResendProduct(ctx, call, d, product)
	})
}

func (c *requestContext) resend(body resendBody, run func(context.Context, rules.Call, cpf.Document) ([]rules.ResendResult, error)) error {
	d, err := bodyDocument(*body.Document)
	if err != nil {
		return err
	}
	products, err := c.s.catalogue(c.r.Context())
	if err != nil {
		return err
	}
	results, err := write(c, func(call rules.Call) ([]rules.ResendResult, error) {
		return run(c.r.Context(), call, d)
	})
	if err != nil {
		return err
	}
	res := api.ResendResponse{Response: api.ResponseSuccess, Document: string(d)}
	for _, r := range results {
		one := api.ResendResult{Service: products.service(&r.Service), Result: api.ResultSkipped, Reason: r.Reason}
		if r.Sent {
			one.Result = api.ResultSent
		}
		res.Results = append(res.Results, one)
	}
	return c.writeJSON(http.StatusOK, res)
}

// bodyDocument parses the document in a body, which must be valid.
func bodyDocument(text string) (cpf.Document, error) {
	document, err := cpf.Parse(text)
	if bad, ok := errors.AsType[*cpf.Error](err); ok {
		return "", invalidFields(fieldError(api.FieldDocument, bad.Code, bad.Message))
	}
	return document, err
}
