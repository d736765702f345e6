package store

import (
	"ativa/internal/provision"
	"math"
	"strconv"
	"strings"
)

// whereClause are those of a WHERE, of which all must be true.
type whereClause struct {
	parts []string
	args  []any
}

func (c *whereClause) add(condition string, args ...any) {
	c.parts, c.args = append(c.parts, condition), append(c.args, args...)
}

func (c *whereClause) sql() string {
	if len(c.parts) == 0 {
		return ""
	}
	return ` WHERE ` + strings.Join(c.parts, ` AND `)
}

// addIn adds that the column has one of the values; without any it may have
// every value.
func addIn[T any](c *whereClause, column string, values []T) {
	if len(values) == 0 {
		return
	}
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	c.add(column+` IN (`+placeholders(len(values))+`)`, args...)
}

// limitArg is n, or no limit for 0.
func limitArg(n int) int64 {
	if n == 0 {
		return math.MaxInt64
	}
	return int64(n)
}

// statuses is a list to look for a status in.
func statuses(all ...provision.Status) string {
	ids := make([]string, len(all))
	for i, s := range all {
		ids[i] = strconv.Itoa(int(s))
	}
	return `(` + strings.Join(ids, `, `) + `)`
}
