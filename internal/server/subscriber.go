package server

import (
	"net/http"
	"strings"

	"ativa/internal/api"
	"ativa/internal/provision"
)

func (s *Server) getSubscriber(x *exchange) error {
	d, err := x.document()
	if err != nil {
		return err
	}
	var sub provision.SubscriberServices
	products, err := s.catalogueBeside(x.r.Context(), func() (err error) {
		sub, err = s.m.Subscriber(x.r.Context(), x.provider, d)
		return err
	})
	if err != nil {
		return err
	}
	return x.json(http.StatusOK, api.SubscriberResponse{Subscriber: products.subscriber(&sub), Response: api.ResponseSuccess})
}

func (s *Server) createSubscriber(x *exchange) error {
	fields, err := readSubscriber(x.body)
	if err != nil {
		return err
	}
	return write(x, func(call provision.Call) (provision.SubscriberServices, error) {
		return s.m.CreateSubscriber(x.r.Context(), call, fields)
	}, func(sub provision.SubscriberServices) (answer, error) {
		a, err := tellJSON(http.StatusCreated, api.SubscriberResponse{
			Subscriber: catalogue(nil).subscriber(&sub), Response: api.ResponseSuccess,
		})
		a.location = x.prefix() + api.SubscriberPath(string(sub.Document))
		return a, err
	})
}

// prefix is the part of the path before that of the route.
func (x *exchange) prefix() string {
	if strings.HasPrefix(x.r.URL.Path, api.Prefix+"/") {
		return api.Prefix
	}
	return ""
}

func (s *Server) updateSubscriber(x *exchange) error {
	d, err := x.document()
	if err != nil {
		return err
	}
	fields, err := readSubscriber(x.body)
	if err != nil {
		return err
	}
	products, err := s.catalogue(x.r.Context())
	if err != nil {
		return err
	}
	return write(x, func(call provision.Call) (provision.SubscriberServices, error) {
		return s.m.UpdateSubscriber(x.r.Context(), call, d, fields)
	}, func(sub provision.SubscriberServices) (answer, error) {
		return tellJSON(http.StatusOK, api.SubscriberResponse{Subscriber: products.subscriber(&sub), Response: api.ResponseSuccess})
	})
}

func (s *Server) deleteSubscriber(x *exchange) error {
	d, err := x.document()
	if err != nil {
		return err
	}
	return write(x, func(call provision.Call) (struct{}, error) {
		return struct{}{}, s.m.DeleteSubscriber(x.r.Context(), call, d)
	}, func(struct{}) (answer, error) {
		return tellJSON(http.StatusOK, api.Response{Response: api.ResponseSuccess})
	})
}

func readSubscriber(body string) (fields provision.Fields, err error) {
	err = readForm(body, func(f *form, key string) error { return f.subscriber(key, &fields) })
	return fields, err
}

// resend sends new activation e-mails for the tokens of a subscriber.
func (s *Server) resend(x *exchange) error {
	var document provision.OptionalText
	err := readForm(x.body, func(f *form, key string) error {
		if key == api.FieldDocument {
			return f.text(key, &document)
		}
		return f.c.skip()
	})
	if err != nil {
		return err
	}
	d, err := knownDocument(document)
	if err != nil {
		return err
	}
	products, err := s.catalogue(x.r.Context())
	if err != nil {
		return err
	}
	return write(x, func(call provision.Call) ([]provision.ResendResult, error) {
		return s.m.Resend(x.r.Context(), call, d)
	}, func(results []provision.ResendResult) (answer, error) {
		told := api.ResendResponse{Response: api.ResponseSuccess, Document: string(d)}
		for _, r := range results {
			one := api.ResendResult{Service: products.service(&r.Service), Result: api.ResultSkipped, Reason: r.Reason}
			if r.Sent {
				one.Result = api.ResultSent
			}
			told.Results = append(told.Results, one)
		}
		return tellJSON(http.StatusOK, told)
	})
}
