package server

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"ativa/internal/api"
	"ativa/internal/provision"
)

// live says that the process answers.
func (s *Server) live(x *exchange) error {
	return x.json(http.StatusOK, api.Response{Response: api.ResponseSuccess})
}

// ready says whether requests can be served.
func (s *Server) ready(x *exchange) error {
	select {
	case <-s.stopping:
		return &refusal{code: api.CodeUnavailable, detail: "the server is stopping", retryAfter: time.Second}
	default:
	}
	if err := s.o.Ready(x.r.Context()); err != nil {
		r := &refusal{code: api.CodeUnavailable, detail: "the server is not ready", retryAfter: time.Second, err: fmt.Errorf("readiness: %w", err)}
		if named, ok := errors.AsType[*provision.Error](err); ok {
			r.detail = named.Message
		}
		return r
	}
	return x.json(http.StatusOK, api.Response{Response: api.ResponseSuccess})
}

// openAPI answers with the description of the API.
func (s *Server) openAPI(x *exchange) error {
	x.Header().Set("Content-Type", "application/yaml")
	_, _ = io.WriteString(x, api.OpenAPI())
	return nil
}
