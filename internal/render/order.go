package render

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// sortOrder is how --sort wants the rows.
type sortOrder[T any] struct {
	column     Column[T]
	descending bool
}

// parseOrder reads key[:asc|:desc]; nil is the order in which rows come.
func (s Schema[T]) parseOrder(sort string) (*sortOrder[T], error) {
	if sort == "" {
		return nil, nil
	}
	name, way, found := strings.Cut(sort, ":")
	if found && way != "asc" && way != "desc" {
		return nil, &OptionError{Option: "--sort", Value: way, Known: []string{"asc", "desc"}}
	}
	by, err := s.column("--sort", name)
	return &sortOrder[T]{by, way == "desc"}, err
}

// sortRows collects the rows and gives them in order; equal ones stay as they
// came. What comes after an error of the source is not looked at.
func (o *sortOrder[T]) sortRows(rows iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var all []T
		var keys []sortKey
		var failed error
		for row, err := range rows {
			if err != nil {
				failed = err
				break
			}
			all, keys = append(all, row), append(keys, newSortKey(o.column.Kind, o.column.Value(row)))
		}
		for _, place := range sortedIndexes(keys, o.descending) {
			if !yield(all[place], nil) {
				return
			}
		}
		if failed != nil {
			var none T
			yield(none, failed)
		}
	}
}

// sortedIndexes is where the rows of the keys stand, in order. It sorts numbers and not
// rows, so that a program with many shapes holds one sort.
func sortedIndexes(keys []sortKey, descending bool) []int {
	all := make([]int, len(keys))
	for i := range all {
		all[i] = i
	}
	slices.SortStableFunc(all, func(a, b int) int {
		if descending {
			a, b = b, a
		}
		return keys[a].compare(keys[b])
	})
	return all
}

// sortSlice is the rows in order.
func (o *sortOrder[T]) sortSlice(rows []T) []T {
	out := make([]T, 0, len(rows))
	given := func(yield func(T, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
	for row, err := range o.sortRows(given) {
		if err == nil { // a slice gives none
			out = append(out, row)
		}
	}
	return out
}

// sortKey compares numbers as numbers, and text as people sort it: without
// regard to case and accents at first.
type sortKey struct {
	number       float64
	folded, text string
}

func newSortKey(kind Kind, s string) sortKey {
	if kind == Number {
		if n, err := strconv.ParseFloat(s, 64); err == nil {
			return sortKey{number: n, text: s}
		}
	}
	return sortKey{folded: strings.Map(removeAccent, strings.ToLower(s)), text: s}
}

func (k sortKey) compare(other sortKey) int {
	return cmp.Or(
		cmp.Compare(k.folded, other.folded),
		cmp.Compare(k.number, other.number),
		cmp.Compare(k.text, other.text),
	)
}

// removeAccent takes the accent from a small letter of Western Europe.
func removeAccent(r rune) rune {
	switch {
	case r >= 'à' && r <= 'å':
		return 'a'
	case r == 'ç':
		return 'c'
	case r >= 'è' && r <= 'ë':
		return 'e'
	case r >= 'ì' && r <= 'ï':
		return 'i'
	case r == 'ñ':
		return 'n'
	case r >= 'ò' && r <= 'ö':
		return 'o'
	case r >= 'ù' && r <= 'ü':
		return 'u'
	case r == 'ý', r == 'ÿ':
		return 'y'
	}
	return r
}
