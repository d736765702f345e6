package render

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// sortOrder is the order that --sort asks for.
type sortOrder[T any] struct {
	column     Column[T]
	descending bool
}

// parseOrder parses key[:asc|:desc]. It returns nil for "", which keeps the
// order of the source.
func (s Schema[T]) parseOrder(sort string) (*sortOrder[T], error) {
	if sort == "" {
		return nil, nil
	}
	name, direction, found := strings.Cut(sort, ":")
	if found && direction != "asc" && direction != "desc" {
		return nil, &OptionError{Option: "--sort", Value: direction, Known: []string{"asc", "desc"}}
	}
	column, err := s.column("--sort", name)
	return &sortOrder[T]{column, direction == "desc"}, err
}

// sortRows collects all rows and yields them in order. The sort is stable. An
// error of the source ends the collection and is yielded last.
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

// sortedIndexes returns the indexes of the keys in order. It is apart from
// sortRows so that it is compiled once and not for each type of row.
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

// sortKey compares numbers by value and texts first without regard to case and
// accents.
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

// removeAccent returns the letter without accent of a lower-case Latin-1 letter.
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
