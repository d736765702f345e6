package server

import (
	"net/http"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/provision"
)

func (s *Server) changeProduct(c *requestContext) error {
	req, err := decodeChange(c.body)
	if err != nil {
		return err
	}
	return write(c, req.run(c), changeResponse)
}

type changeRequest struct {
	document cpf.Document
	from, to int
}

func decodeChange(body string) (*changeRequest, error) {
	var from, to provision.OptionalNumber
	var document provision.OptionalText
	err := decodeBody(body, func(d *bodyDecoder, key string) error {
		switch key {
		case api.FieldProductID:
			return d.number(key, &to)
		case api.FieldPreviousProductID:
			return d.number(key, &from)
		case api.FieldDocument:
			return d.text(key, &document)
		}
		return d.json.skip()
	})
	if err != nil {
		return nil, err
	}
	err = missingFields(field{api.FieldProductID, to.Set && !to.Null}, field{api.FieldPreviousProductID, from.Set && !from.Null},
		field{api.FieldDocument, document.Set && !document.Null})
	if err != nil {
		return nil, err
	}
	d, err := bodyDocument(document)
	return &changeRequest{document: d, from: from.Value, to: to.Value}, err
}

func (req *changeRequest) run(c *requestContext) func(provision.Call) (provision.Result, error) {
	return func(call provision.Call) (provision.Result, error) {
		return c.s.m.ChangeProduct(c.r.Context(), call, req.document, req.from, req.to)
	}
}

func changeResponse(r provision.Result) (response, error) {
	return jsonResponse(http.StatusOK, api.ChangeResponse{Response: api.ResponseSuccess, Result: batchResult(0, &r)})
}
