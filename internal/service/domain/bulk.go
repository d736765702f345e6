package domain

import "context"

type bulkKey struct{}

// WithBulk returns a context whose writes run after small ones. It is for requests of many elements,
// which take many transactions, and for background work.
func WithBulk(ctx context.Context) context.Context {
	return context.WithValue(ctx, bulkKey{}, true)
}

// IsBulk reports whether ctx was derived from [WithBulk].
func IsBulk(ctx context.Context) bool { return ctx.Value(bulkKey{}) != nil }
