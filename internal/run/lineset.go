package run

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// lineSet is a set of line numbers in ascending order. As text it has the form 2-1001,1003.
type lineSet []lineRange

type lineRange struct{ first, last int }

// add adds a line. Lines are added in ascending order.
func (l *lineSet) add(line int) {
	if n := len(*l); n > 0 && (*l)[n-1].last == line-1 {
		(*l)[n-1].last = line
		return
	}
	*l = append(*l, lineRange{line, line})
}

func (l lineSet) has(line int) bool {
	_, found := slices.BinarySearchFunc(l, line, func(r lineRange, line int) int {
		switch {
		case r.last < line:
			return -1
		case r.first > line:
			return 1
		}
		return 0
	})
	return found
}

// before returns the number of lines in the set before a line.
func (l lineSet) before(line int) int {
	n := 0
	for _, r := range l {
		n += max(0, min(r.last+1, line)-r.first)
	}
	return n
}

func (l lineSet) count() int { return l.before(math.MaxInt) }

// MarshalText implements [encoding.TextMarshaler].
func (l lineSet) MarshalText() ([]byte, error) {
	var b []byte
	for i, r := range l {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(r.first), 10)
		if r.last > r.first {
			b = append(b, '-')
			b = strconv.AppendInt(b, int64(r.last), 10)
		}
	}
	return b, nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (l *lineSet) UnmarshalText(text []byte) error {
	*l = nil
	if len(text) == 0 {
		return nil
	}
	for part := range strings.SplitSeq(string(text), ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if n := len(*l); err1 != nil || err2 != nil || last < first || last > math.MaxInt32 || n > 0 && first <= (*l)[n-1].last {
			return fmt.Errorf("%q is no range of lines", part)
		}
		*l = append(*l, lineRange{first, last})
	}
	return nil
}
