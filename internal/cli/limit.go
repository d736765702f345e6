package cli

import (
	"strconv"
	"strings"
)

// Limit is a limit that is given as a number or as a share of all, such as 5%.
// The zero value is no limit.
type Limit struct {
	n       int
	percent float64
	Given   bool
}

// ParseLimit reads a number or a share such as 5%; "" is no limit. The flag is
// named in errors.
func ParseLimit(flag, s string) (Limit, error) {
	if s == "" {
		return Limit{}, nil
	}
	if part, ok := strings.CutSuffix(s, "%"); ok {
		percent, err := strconv.ParseFloat(part, 64)
		if err != nil || percent < 0 || percent > 100 {
			return Limit{}, Usage("%s %q: a share is 0%% to 100%%", flag, s)
		}
		return Limit{percent: percent, Given: true}, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return Limit{}, Usage("%s %q is neither a number nor a share such as 5%%", flag, s)
	}
	return Limit{n: n, percent: -1, Given: true}, nil
}

// Exceeded reports whether n of total is more than the limit.
func (l Limit) Exceeded(n, total int) bool {
	if !l.Given {
		return false
	}
	if l.percent >= 0 {
		return float64(n)*100 > l.percent*float64(total)
	}
	return n > l.n
}
