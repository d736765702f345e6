package client

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"ativa/internal/api"
)

// extensions are the extensions of api.md that the server has announced. Only a
// response that names them counts, because a proxy may respond instead.
type extensions struct {
	names   atomic.Pointer[[]string]
	checked atomic.Bool // set after the server has responded without naming any
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

// HasExtension reports whether the server has the extension, one of the Ext names
// of package api. If no response has named any yet, it requests the statuses,
// which are the smallest list.
func (c *Client) HasExtension(ctx context.Context, extension string) (bool, error) {
	if c.extensions.names.Load() == nil && !c.extensions.checked.Load() {
		if _, err := c.Statuses(ctx); err != nil {
			return false, err
		}
		c.extensions.checked.Store(true)
	}
	return c.extensions.has(extension), nil
}
