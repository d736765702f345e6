package main

import (
	"debug/buildinfo"
	"io"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// writeSBOM writes the bill of materials of a program as CycloneDX JSON: the modules that Go
// recorded in it, and the Go standard library. It has no serial number, so that the same program
// produces the same bytes.
func writeSBOM(w io.Writer, o options) error {
	info, err := buildinfo.ReadFile(o.binary)
	if err != nil {
		return err
	}
	program := component(cyclonedx.ComponentTypeApplication, info.Main.Path, o.version)
	parts := []cyclonedx.Component{component(cyclonedx.ComponentTypeLibrary, "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, component(cyclonedx.ComponentTypeLibrary, m.Path, m.Version))
	}
	var needed []string
	for _, p := range parts {
		needed = append(needed, p.BOMRef)
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Timestamp: o.created.UTC().Format(time.RFC3339), Component: &program}
	bom.Components = &parts
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: program.BOMRef, Dependencies: &needed}}
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}

func component(kind cyclonedx.ComponentType, module, version string) cyclonedx.Component {
	url := "pkg:golang/" + module + "@" + strings.ReplaceAll(version, "+", "%2B")
	return cyclonedx.Component{Type: kind, Name: module, Version: version, PackageURL: url, BOMRef: url}
}
