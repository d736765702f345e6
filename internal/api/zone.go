package api

import (
	"archive/zip"
	_ "embed"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// zoneData is lib/time/zoneinfo.zip of the Go distribution. package time would
// look for a zone in the files of the computer first (decisions.md 14).
//
//go:embed zoneinfo.zip
var zoneData string

// LoadZone returns the time zone with an IANA name. The result is the same on every computer,
// whatever its TZ and its zone data are. "Local" is not a zone.
func LoadZone(name string) (*time.Location, error) {
	all, err := zip.NewReader(strings.NewReader(zoneData), int64(len(zoneData)))
	if err != nil {
		return nil, err
	}
	data, err := fs.ReadFile(all, name)
	if err != nil {
		return nil, fmt.Errorf("unknown time zone %q", name)
	}
	return time.LoadLocationFromTZData(name, data)
}
