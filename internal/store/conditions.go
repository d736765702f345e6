package store

import (
	"math"
	"strings"
)

// conditions are those of a WHERE, of which all must be true.
type conditions struct {
	parts []string
	args  []any
}

func (c *conditions) add(condition string, args ...any) {
	c.parts, c.args = append(c.parts, condition), append(c.args, args...)
}

func (c *conditions) where() string {
	if len(c.parts) == 0 {
		return ""
	}
	return ` WHERE ` + strings.Join(c.parts, ` AND `)
}

// addOneOf adds that the column has one of the values; without any it may have
// every value.
func addOneOf[T any](c *conditions, column string, values []T) {
	if len(values) == 0 {
		return
	}
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	c.add(column+` IN (`+marks(len(values))+`)`, args...)
}

// limitOf is n, or no limit for 0.
func limitOf(n int) int64 {
	if n == 0 {
		return math.MaxInt64
	}
	return int64(n)
}
