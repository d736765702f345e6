package cli

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/render"
	"ativa/internal/settings"
)

// ExpiryWarning is how long before its expiry an access token or a certificate causes a warning.
const ExpiryWarning = 14 * 24 * time.Hour

// TokenExpiresSoon reports whether a token expires within ExpiryWarning.
func TokenExpiresSoon(t api.AccessToken, now time.Time) bool {
	return !t.ExpiresAt.IsZero() && t.ExpiresAt.Sub(now) < ExpiryWarning
}

// ParseExpiry reads the end of a token: a time from now, or the last moment of a day
// in UTC.
func ParseExpiry(text string, now time.Time) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.AddDate(0, 0, 1).Add(-time.Microsecond), nil
	}
	span, err := settings.ParseSpan(text)
	if err != nil {
		return time.Time{}, Usage("%q is not the end of a token: give a time such as 30s, 12h or 90d, or a day such as 2027-01-31", text)
	}
	return now.Add(span), nil
}

// TokenColumns returns the columns of the access token in a row.
func TokenColumns[T any](of func(T) api.Token) []render.Column[T] {
	scopes := func(between string) func(T) string {
		return func(row T) string {
			return strings.Join(Map(of(row).Scopes, func(s api.Scope) string { return string(s) }), between)
		}
	}
	at := func(value func(api.Token) api.Time) func(T) string {
		return func(row T) string { return value(of(row)).String() }
	}
	return []render.Column[T]{
		{Name: "id", Value: func(row T) string { return of(row).ID }},
		{Name: "name", Value: func(row T) string { return of(row).Name }},
		{Name: "scopes", Kind: render.Codes, Value: scopes(" "), Short: scopes(",")},
		{Name: "expires_at", Title: "expires", Kind: render.Time, Value: at(func(t api.Token) api.Time { return t.ExpiresAt })},
		{Name: "last_used_at", Title: "last used", Kind: render.Time, Value: at(func(t api.Token) api.Time { return t.LastUsedAt })},
		{Name: "revoked_at", Title: "revoked", Kind: render.Time, Value: at(func(t api.Token) api.Time { return t.RevokedAt })},
		{Name: "created_at", Kind: render.Time, Extra: true, Value: at(func(t api.Token) api.Time { return t.CreatedAt })},
	}
}

// TokenFlags are the scopes and expiry of a new access token.
type TokenFlags struct {
	scopes  []string
	expires string
}

// Add adds the flags to a command. scopes and end describe the defaults.
func (o *TokenFlags) Add(e *Env, c *cobra.Command, scopes, end string) {
	AddListFlag(c.Flags(), &o.scopes, "scope", "what it may do: read, manage, provision, import, cancel, tokens (default: "+scopes+")")
	e.CompleteFlag(c, "scope", ListOf(func() []string {
		return Map(api.Scopes(), func(s api.Scope) string { return string(s) })
	}))
	c.Flags().StringVar(&o.expires, "expires", "", "when it ends: after 30s, 12h or 90d, or with a day such as 2027-01-31, in UTC (default: "+end+")")
}

// AreSet reports whether any of the flags was given.
func (o TokenFlags) AreSet() bool { return o.expires != "" || len(o.scopes) > 0 }

// Scopes returns the scopes, nil without --scope.
func (o TokenFlags) Scopes() ([]api.Scope, error) {
	if len(o.scopes) == 0 {
		return nil, nil
	}
	scopes := Map(o.scopes, func(s string) api.Scope { return api.Scope(s) })
	if i := slices.IndexFunc(scopes, func(s api.Scope) bool { return !slices.Contains(api.Scopes(), s) }); i >= 0 {
		return nil, Usage("there is no scope %q", string(scopes[i])).WithHint("the scopes are read, manage, provision, import, cancel and tokens")
	}
	return scopes, nil
}

// End returns when the token ends, zero without --expires.
func (o TokenFlags) End(now time.Time) (end time.Time, err error) {
	if o.expires != "" {
		end, err = ParseExpiry(o.expires, now)
	}
	return end, err
}

// AddGrace adds --grace, the time for which the old secret stays valid, and its help to a command
// that replaces a secret.
func AddGrace(c *cobra.Command, span *time.Duration) *cobra.Command {
	var text string
	c.Long = `Give a live access token a new secret; id, name, scopes and expiry stay. The old
secret is accepted until the grace has passed, so that it can be replaced wherever
it is used without an interruption; --grace 0 ends it at once. A secret that was
replaced before ends at once in any case.`
	c.Flags().StringVar(&text, "grace", "24h", "how long the old secret is accepted, such as 30m, 12h or 2d")
	c.PreRunE = func(*cobra.Command, []string) (err error) {
		if *span, err = settings.ParseSpan(text); err != nil || *span < 0 || *span > api.MaxGraceDays*24*time.Hour {
			return Usage("%q is not a time for which the old secret is accepted", text).WithHint("such as 0, 30m, 12h or 2d; at most %d days", api.MaxGraceDays)
		}
		return nil
	}
	return c
}

// TokenRemedy returns the remedy for a token that expires soon.
func TokenRemedy() Message {
	return Msg("ask whoever runs the server for another token, and give it to `ativa login`")
}
