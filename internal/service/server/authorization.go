package server

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// authenticate exchanges an access token for a bearer token. Attempts are limited per address,
// whether they succeed or not.
func (s *Server) authenticate(c *requestContext) error {
	if err := s.logins.take(addressKey(s.client(c.r)), s.rules.Now()); err != nil {
		return err
	}
	var body struct {
		AccessToken domain.Optional[string] `json:"access_token"`
	}
	if err := decodeBody(c.body, &body); err != nil {
		return err
	}
	if body.AccessToken.Value == "" {
		return invalidFields(requiredField(api.FieldAccessToken))
	}
	b, err := s.tokens.Authenticate(c.r.Context(), body.AccessToken.Value)
	if err != nil {
		return err
	}
	a := api.Authorization{
		Token: b.Token, Type: api.TypeBearer, ExpiresIn: api.Int((b.ExpiresIn + time.Second - 1) / time.Second), // rounded up, so never 0
		Name: b.AccessToken.Name, Scopes: wireScopes(b.AccessToken.Scopes), AccessTokenExpiresAt: api.At(b.AccessToken.ExpiresAt),
	}
	return c.writeJSON(http.StatusOK, api.AuthenticateResponse{Authorization: a, Response: api.ResponseSuccess})
}

// client returns the address of the client: the address of the connection or, if that is a trusted
// proxy, the last address in X-Forwarded-For that is not. The client may have made up the entries
// before it.
func (s *Server) client(r *http.Request) string {
	host := hostOf(r.RemoteAddr)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if hop = strings.TrimSpace(hop); hop == "" || !isTrusted(s.o.TrustedProxies, host) {
			break
		}
		host = hostOf(hop) // without the port that some proxies add, which differs each time
	}
	return host
}

func isTrusted(proxies []netip.Prefix, host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(a.Unmap()) })
}

func hostOf(remote string) string {
	if host, _, err := net.SplitHostPort(remote); err == nil {
		return host
	}
	return strings.Trim(remote, "[]")
}

// addressKey returns the key under which requests of an address are counted: the address itself,
// or for IPv6 its /64, which belongs to one customer.
func addressKey(host string) string {
	a, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if a = a.Unmap(); a.Is6() {
		if p, err := a.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return a.String()
}

// bearer returns the token of the Authorization header, or "" without one.
func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
