package cmd

import (
	"strconv"
	"strings"
)

// share is a limit that is given as a number or as a share of all, such as 5%.
// The zero value is no limit.
type share struct {
	n       int
	percent float64
	given   bool
}

func parseShare(flag, s string) (share, error) {
	if s == "" {
		return share{}, nil
	}
	if part, ok := strings.CutSuffix(s, "%"); ok {
		percent, err := strconv.ParseFloat(part, 64)
		if err != nil || percent < 0 || percent > 100 {
			return share{}, usage("%s %q: a share is 0%% to 100%%", flag, s)
		}
		return share{percent: percent, given: true}, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return share{}, usage("%s %q is neither a number nor a share such as 5%%", flag, s)
	}
	return share{n: n, percent: -1, given: true}, nil
}

func (l share) exceeded(n, total int) bool {
	if !l.given {
		return false
	}
	if l.percent >= 0 {
		return float64(n)*100 > l.percent*float64(total)
	}
	return n > l.n
}
