package sheet_test

import (
	"errors"
	"testing"

	"ativa/internal/api"
	"ativa/internal/sheet"
)

// A speed typed for a command is an id of the list of speeds first; megabits need their
// unit.
func TestATypedSpeedIsAnIDANameOrMegabits(t *testing.T) {
	for text, want := range map[string]api.Int{
		"10": 10, "10.0": 10, " 20 ": 20, `="36"`: 36, "37": 37, "38": 38,
		"10 Mbps": 1, "10mb": 1, "10 M": 1, "10 megabits": 1, "200 Mega": 20, "Fibra 200MB": 20, "200 mbit/s": 20,
		"1 Giga": 36, "1GB": 36, "1 gbps": 36, "0,1 Giga": 10, "1.000 Mega": 36, "1,000 Mega": 36, "0,100 Giga": 10, "0.200 Gbps": 20, "5 Mbps": 37,
		"não informado": 38, "NAO INFORMADO": 38,
		// Unknown speeds, and texts that are no speed.
		"200": 0, "0": 0, "-1": 0, "999 Mega": 0, "1,5 Giga": 0, "0,0001 Giga": 0, "10.5 Mega": 0, "1.0 Mbps": 0, "0,100 Mega": 0, "10 / 5 Mega": 0, "10 Mega 5G": 0, "Fibra 200": 0, "Fibra": 0,
		"10 quilos": 0, "Mega": 0, "..10 Mega": 1, "10.. Mega": 1, "1.2.3 Mega": 0, "": 0, "-": 0,
	} {
		got, err := sheet.SpeedID(catalog().Speeds, text)
		if got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
		p, ok := errors.AsType[*sheet.Problem](err)
		if err != nil && (!ok || p.Code != api.CodeUnknownInternetSpeed || p.Field != api.FieldInternetSpeedID || p.Value != text) {
			t.Errorf("%q: got %+v, want the problem of a speed that is not in the list", text, err)
		}
	}
}

// Of two equal speeds the first counts: additions to the list do not change the meaning of a file. A
// list may lack the short forms: a cell of punctuation matches none of its speeds.
func TestASpeedIsFoundInAnyList(t *testing.T) {
	list := []api.InternetSpeed{
		{ID: 4, Speed: "600 Mbps", Slug: "fibra"}, {ID: 5, Speed: "600 Mega", Slug: "Fibra"}, {ID: 6, Speed: "0,6 Giga", Slug: "600"},
		{ID: 2, Speed: "Sem limite"},
	}
	for text, want := range map[string]api.Int{
		"600 Mbps": 4, "600 Mega": 5, "600 megas": 4, "FIBRA": 4, "0,6 GB": 4, "0,6 giga": 6, "-": 0, "---": 0, "?": 0, "": 0, "sem limite": 2,
	} {
		if got, err := sheet.SpeedID(list, text); got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
}
