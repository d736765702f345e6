package domain_test

import (
	"testing"

	"ativa/internal/service/domain"
)

func TestEveryBrandColourIsReadable(t *testing.T) {
	for _, s := range []string{"#0b6b44", "#000000", "#0000ff", "#c00000", "#6a6a6a", "#8a2be2"} {
		c, err := domain.ParseColor(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		if got := domain.Contrast(c, "#ffffff"); got < 4.5 {
			t.Errorf("%s on white: got contrast %.2f, want 4.5 or more", s, got)
		}
	}
	for pair, want := range map[[2]domain.Color]float64{{"#000000", "#ffffff"}: 21, {"#ffffff", "#ffffff"}: 1, {"#777777", "#ffffff"}: 4.48} {
		if got := domain.Contrast(pair[0], pair[1]); got < want-0.01 || got > want+0.01 {
			t.Errorf("contrast of %v: got %.2f, want %.2f", pair, got, want)
		}
	}
}
