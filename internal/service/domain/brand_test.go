package domain_test

import (
	"testing"

	"ativa/internal/service/domain"
)

func TestContrastIsThatOfWCAG(t *testing.T) {
	for pair, want := range map[[2]domain.Color]float64{{"#000000", "#ffffff"}: 21, {"#ffffff", "#ffffff"}: 1, {"#777777", "#ffffff"}: 4.48} {
		if got := domain.Contrast(pair[0], pair[1]); got < want-0.01 || got > want+0.01 {
			t.Errorf("contrast of %v: got %.2f, want %.2f", pair, got, want)
		}
	}
}
