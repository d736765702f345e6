package render

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// sortOrder is the order of --sort.
type sortOrder struct {
	column     Column[any]
	descending bool
}

// parseOrder parses key[:asc|:desc]. It returns nil for "", which keeps the
// order of the source.
func parseOrder(s Schema[any], sort string) (*sortOrder, error) {
	if sort == "" {
		return nil, nil
	}
	name, direction, found := strings.Cut(sort, ":")
	if found && direction != "asc" && direction != "desc" {
		return nil, unknownValue("--sort", direction, []string{"asc", "desc"})
	}
	column, err := s.column("--sort", name)
	return &sortOrder{column, direction == "desc"}, err
}

// sortRows collects all rows and yields them in order. The sort is stable. An
// error of the source ends the collection and is yielded last.
func (o *sortOrder) sortRows(rows iter.Seq2[any, error]) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		type keyed struct {
			row any
			key sortKey
		}
		var all []keyed
		var failed error
		for row, err := range rows {
			if err != nil {
				failed = err
				break
			}
			all = append(all, keyed{row, newSortKey(o.column.Kind, o.column.Value(row))})
		}
		slices.SortStableFunc(all, func(a, b keyed) int {
			if o.descending {
				a, b = b, a
			}
			return a.key.compare(b.key)
		})
		for _, one := range all {
			if !yield(one.row, nil) {
				return
			}
		}
		if failed != nil {
			yield(nil, failed)
		}
	}
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
	withoutAccent := func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}
	return sortKey{folded: strings.Map(withoutAccent, norm.NFD.String(strings.ToLower(s))), text: s}
}

func (k sortKey) compare(other sortKey) int {
	return cmp.Or(
		cmp.Compare(k.folded, other.folded),
		cmp.Compare(k.number, other.number),
		cmp.Compare(k.text, other.text),
	)
}
