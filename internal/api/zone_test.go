package api_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
)

// Zones do not depend on TZ or the machine; the runtime names the local zone after TZ.
func TestZonesDoNotDependOnTheLocalOne(t *testing.T) {
	dir, zeros := t.TempDir(), strings.Repeat("\x00", 32)
	utc := "TZif" + zeros + "\x00\x00\x00\x01" + "\x00\x00\x00\x04" + zeros[:6] + "UTC\x00" // RFC 8536: one type, four characters
	written := os.WriteFile(filepath.Join(dir, "Mars"), []byte(utc), 0o600)
	t.Setenv("ZONEINFO", dir) // the runtime looks there once, before anywhere else
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	saoPaulo, err := time.LoadLocation("America/Sao_Paulo")
	_, mars := time.LoadLocation("Mars")
	if err := errors.Join(written, err, mars); err != nil {
		t.Fatal("this machine does not know the zones of the test: ", err)
	}
	for _, tz := range []*time.Location{local, saoPaulo, time.UTC} {
		time.Local = tz
		for name, known := range map[string]bool{
			"America/Sao_Paulo": true, "America/Manaus": true, "UTC": true, "Local": false, "": false, "America/Atlantis": false, "America": false, "../UTC": false, "america/sao_paulo": false, "Mars": false,
		} {
			if zone, err := api.LoadZone(name); (err == nil) != known || known && zone.String() != name {
				t.Errorf("TZ %s: zone %q: got %v, %v, want known: %t", tz, name, zone, err, known)
			}
		}
	}
}
