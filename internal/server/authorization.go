package server

import (
	"net/http"
	"time"

	"ativa/internal/api"
	"ativa/internal/provision"
)

// authenticate exchanges an access token for a bearer token. Attempts are
// counted per address, whether they succeed or not.
func (s *Server) authenticate(x *exchange) error {
	if err := s.logins.take(addressKey(s.client(x.r)), s.o.Clock()); err != nil {
		return err
	}
	var token provision.OptionalText
	err := readForm(x.body, func(f *form, key string) error {
		if key == api.FieldAccessToken {
			return f.text(key, &token)
		}
		return f.c.skip()
	})
	if err != nil {
		return err
	}
	if token.Value == "" {
		return invalid(required(api.FieldAccessToken))
	}
	b, err := s.m.Authenticate(x.r.Context(), token.Value)
	if err != nil {
		return err
	}
	return x.json(http.StatusOK, api.AuthenticateResponse{
		Authorization: api.Authorization{Token: b.Token, Type: api.TypeBearer, ExpiresIn: api.Int(b.ExpiresIn / time.Second)},
		Response:      api.ResponseSuccess,
	})
}
