package run

import (
	"cmp"
	"math"
	"slices"
)

// lineSet is a set of line numbers: ranges in ascending order, each with its first and last line.
type lineSet [][2]int

// add adds a line. Lines are added in ascending order.
func (l *lineSet) add(line int) {
	if n := len(*l); n > 0 && (*l)[n-1][1] == line-1 {
		(*l)[n-1][1] = line
		return
	}
	*l = append(*l, [2]int{line, line})
}

func (l lineSet) has(line int) bool {
	i, _ := slices.BinarySearchFunc(l, line, func(r [2]int, line int) int { return cmp.Compare(r[1], line) })
	return i < len(l) && l[i][0] <= line
}

// before returns the number of lines in the set before a line.
func (l lineSet) before(line int) int {
	n := 0
	for _, r := range l {
		n += max(0, min(r[1]+1, line)-r[0])
	}
	return n
}

func (l lineSet) count() int { return l.before(math.MaxInt) }
