package api_test

import (
	"testing"
	"time"

	"ativa/internal/api"
)

// Zones are the same whatever TZ says; the runtime names the local zone after it.
func TestZonesDoNotDependOnTheLocalOne(t *testing.T) {
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	saoPaulo, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	for _, tz := range []*time.Location{local, saoPaulo, time.UTC} {
		time.Local = tz
		for name, known := range map[string]bool{
			"America/Sao_Paulo": true, "America/Manaus": true, "UTC": true, "Local": false, "": false, "America/Atlantis": false,
		} {
			if zone, err := api.LoadZone(name); (err == nil) != known || known && zone.String() != name {
				t.Errorf("TZ %s: zone %q: got %v, %v, want known: %t", tz, name, zone, err, known)
			}
		}
	}
}
