package client

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"ativa/internal/api"
)

// extensions is what the server has shown to have beyond api.md. Only an
// response that names them is proof: a proxy may respond instead.
type extensions struct {
	names atomic.Pointer[[]string]
	// asked is set once the server itself has answered without naming any.
	checked atomic.Bool
}

func (x *extensions) record(h http.Header) {
	value := h.Get(api.HeaderExtensions)
	if value == "" || x.names.Load() != nil {
		return
	}
	names := strings.Split(value, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	x.names.CompareAndSwap(nil, &names)
}

func (x *extensions) has(name string) bool {
	names := x.names.Load()
	return names != nil && slices.Contains(*names, name)
}

// HasExtension reports whether the server has the extension, one of the Ext names of
// package api. If no response has named any yet, it asks for the statuses, the
// smallest list there is.
func (c *Client) HasExtension(ctx context.Context, extension string) (bool, error) {
	if c.extensions.names.Load() == nil && !c.extensions.checked.Load() {
		if _, err := c.Statuses(ctx); err != nil {
			return false, err
		}
		c.extensions.checked.Store(true)
	}
	return c.extensions.has(extension), nil
}
