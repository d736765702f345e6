package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"ativa/internal/system/systemtest"
)

// made returns the output file of the command for a program.
func made(t *testing.T, verb, program string) (path string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	if err := run([]string{verb, "-binary", program, "-arch", "amd64", "-license", "../../LICENSE", "-name", "registry.example.com/ativa",
		"-version", "1.2.3", "-created", "2026-01-31T12:00:00Z", "-out", out}); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTheSameProgramGivesTheSameBytes(t *testing.T) {
	for verb, program := range map[string]string{"image": anyFile, "sbom": self(t)} {
		if a, b := read(t, made(t, verb, program)), read(t, made(t, verb, program)); !bytes.Equal(a, b) {
			t.Errorf("%s: two runs differ", verb)
		}
	}
}

const anyFile = "main.go" // an image may hold any program

// self returns the path of the test binary, a program built by Go.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	must(t, err)
	return path
}

func TestTheSBOMNamesEveryModule(t *testing.T) {
	checkSBOM(t, made(t, "sbom", self(t)), self(t))
}

// checkSBOM compares a bill of materials with what Go recorded in a program.
func checkSBOM(t *testing.T, path, program string) {
	t.Helper()
	var bom cyclonedx.BOM
	must(t, cyclonedx.NewBOMDecoder(bytes.NewReader(read(t, path)), cyclonedx.BOMFileFormatJSON).Decode(&bom))
	info, err := buildinfo.ReadFile(program)
	must(t, err)
	want := []string{"pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}
	for _, m := range info.Deps {
		want = append(want, "pkg:golang/"+m.Path+"@"+strings.ReplaceAll(m.Version, "+", "%2B"))
	}
	var got []string
	for _, c := range *bom.Components {
		got = append(got, c.PackageURL)
	}
	if len(want) < 2 || !slices.Equal(got, want) {
		t.Errorf("%s names\n%s\nwant\n%s", filepath.Base(path), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// docs/compose/Containerfile builds the same image as a release.
func TestTheContainerfileMatchesTheImage(t *testing.T) {
	said := map[string]string{}
	text := strings.ReplaceAll(string(read(t, "../../docs/compose/Containerfile")), "\\\n", "")
	_, last, _ := strings.Cut(text, "FROM scratch\n")
	for line := range strings.Lines(last) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		said[word] = strings.Join(strings.Fields(rest), " ")
	}
	img, err := tarball.ImageFromPath(made(t, "image", anyFile), nil)
	must(t, err)
	file, err := img.ConfigFile()
	must(t, err)
	c := file.Config
	quoted := func(words []string) string { return `["` + strings.Join(words, `", "`) + `"]` }
	for word, want := range map[string]string{
		"USER": c.User, "ENTRYPOINT": quoted(c.Entrypoint), "CMD": quoted(c.Cmd), "ENV": strings.Join(c.Env, " "),
		"HEALTHCHECK": healthcheck(c.Healthcheck),
	} {
		if got := said[word]; got != want {
			t.Errorf("Containerfile: %s %s\nthe image has: %s", word, got, want)
		}
	}
	if got := fmt.Sprint(c.Volumes, c.ExposedPorts); got != fmt.Sprintf("map[%s:{}] map[%s/tcp:{}]", said["VOLUME"], said["EXPOSE"]) {
		t.Errorf("Containerfile: %s, %s\nthe image has: %s", said["VOLUME"], said["EXPOSE"], got)
	}
	if !file.Created.Equal(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)) || file.Architecture != "amd64" || c.Labels["org.opencontainers.image.version"] != "1.2.3" {
		t.Errorf("got an image of %v for %s with %v", file.Created, file.Architecture, c.Labels)
	}
}

func healthcheck(h *v1.HealthConfig) string {
	return "--interval=" + h.Interval.String() + " --timeout=" + h.Timeout.String() + " --start-period=" + h.StartPeriod.String() + " CMD [\"" + strings.Join(h.Test[1:], `", "`) + `"]`
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return b
}

var must = systemtest.Must
