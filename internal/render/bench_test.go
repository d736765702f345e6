package render_test

import (
	"fmt"
	"io"
	"testing"

	"ativa/internal/render"
)

// A table of 500 rows is longer than a screen, so tablewriter has no part in it.
func BenchmarkTable(b *testing.B) {
	for _, rows := range []int{20, 500} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			all := make([]person, rows)
			for i := range all {
				all[i] = newPerson("52998224725", fmt.Sprint("João da Silva ", i), "waitingSuspension", i)
			}
			o := render.Options{Screen: render.Screen{Terminal: true, Width: 120, Height: 40, Colour: true}}
			for b.Loop() {
				p, err := render.New(io.Discard, o, personSchema())
				if err != nil {
					b.Fatal(err)
				}
				if err := p.List(b.Context(), sequence(all, nil)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
