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

func (s *Server) createSubscriber(c *requestContext) error {
	var body subscriberBody
	if err := decodeBody(c.body, &body); err != nil {
		return err
	}
	return write(c, func(call rules.Call) (domain.SubscriberServices, error) {
		return s.rules.CreateSubscriber(c.r.Context(), call, rules.Fields(body))
	}, func(sub domain.SubscriberServices) (response, error) {
		res, err := jsonResponse(http.StatusCreated, api.SubscriberResponse{
			Subscriber: catalogue(nil).subscriber(&sub), Response: api.ResponseSuccess,
		})
		res.location = c.prefix() + api.SubscriberPath(string(sub.Document))
		return res, err
	})
}

// prefix returns the part of the path that precedes the path of the route.
func (c *requestContext) prefix() string {
	if strings.HasPrefix(c.r.URL.Path, api.Prefix+"/") {
		return api.Prefix
	}
	return ""
}

func (s *Server) updateSubscriber(c *requestContext) error {
	var body subscriberBody
	if err := decodeBody(c.body, &body); err != nil {
		return err
	}
	products, err := s.catalogue(c.r.Context())
	if err != nil {
		return err
	}
	return write(c, func(call rules.Call) (domain.SubscriberServices, error) {
		return s.rules.UpdateSubscriber(c.r.Context(), call, c.document, rules.Fields(body))
	}, func(sub domain.SubscriberServices) (response, error) {
		return jsonResponse(http.StatusOK, api.SubscriberResponse{Subscriber: products.subscriber(&sub), Response: api.ResponseSuccess})
	})
}

func (s *Server) deleteSubscriber(c *requestContext) error {
	return write(c, func(call rules.Call) (struct{}, error) {
		return struct{}{}, s.rules.DeleteSubscriber(c.r.Context(), call, c.document)
	}, successResponse)
}

func (s *Server) resend(c *requestContext) error {
	return c.resend(s.rules.Resend)
}

// resendProduct sends a new activation e-mail for one service. A product that is not a number is
// treated as unknown.
func (s *Server) resendProduct(c *requestContext) error {
	product, _ := strconv.Atoi(c.r.PathValue(api.WildcardProduct))
	return c.resend(func(ctx context.Context, call rules.Call, d cpf.Document) ([]rules.ResendResult, error) {
		return s.rules.ResendProduct(ctx, call, d, product)
	})
}

func (c *requestContext) resend(run func(context.Context, rules.Call, cpf.Document) ([]rules.ResendResult, error)) error {
	var body struct {
		Document *string `json:"document" required:"yes"`
	}
	if err := decodeBody(c.body, &body); err != nil {
		return err
	}
	d, err := bodyDocument(*body.Document)
	if err != nil {
		return err
	}
	products, err := c.s.catalogue(c.r.Context())
	if err != nil {
		return err
	}
	return write(c, func(call rules.Call) ([]rules.ResendResult, error) {
		return run(c.r.Context(), call, d)
	}, func(results []rules.ResendResult) (response, error) {
		res := api.ResendResponse{Response: api.ResponseSuccess, Document: string(d)}
		for _, r := range results {
			one := api.ResendResult{Service: products.service(&r.Service), Result: api.ResultSkipped, Reason: r.Reason}
			if r.Sent {
				one.Result = api.ResultSent
			}
			res.Results = append(res.Results, one)
		}
		return jsonResponse(http.StatusOK, res)
	})
}

// bodyDocument parses the document in a body, which must be valid.
func bodyDocument(text string) (cpf.Document, error) {
	document, err := cpf.Parse(text)
	if bad, ok := errors.AsType[*cpf.Error](err); ok {
		return "", invalidFields(api.FieldError{
			Pointer: "/" + api.FieldDocument, Field: api.FieldDocument, Code: bad.Code, Detail: bad.Message,
		})
	}
	return document, err
}
