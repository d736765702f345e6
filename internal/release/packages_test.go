//go:build linux

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// release is the output of `goreleaser release --snapshot` in a directory.
type release struct {
	dir     string
	version string
}

// snapshot reads the release in $ATIVA_PACKAGES; without one the test is skipped. It enters private
// roots, so it needs root, and Debian's dpkg, rpm and busybox-static.
func snapshot(t *testing.T) *release {
	t.Helper()
	dir := os.Getenv("ATIVA_PACKAGES")
	if dir == "" {
		t.Skip("ATIVA_PACKAGES names no directory of `goreleaser release --snapshot`")
	}
	var about struct{ Version string }
	must(t, json.Unmarshal(read(t, filepath.Join(dir, "metadata.json")), &about))
	return &release{dir, about.Version}
}

// files returns the paths of the files that match a pattern.
func (r *release) files(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(r.dir, pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("the release has no %s: %v", pattern, err)
	}
	return found
}

// linuxPackage returns the package of a format for this machine.
func (r *release) linuxPackage(t *testing.T, format string) string {
	t.Helper()
	return r.files(t, "ativa_*_"+runtime.GOARCH+"."+format)[0]
}

func (r *release) archives(t *testing.T) []string {
	t.Helper()
	return append(r.files(t, "*.tar.gz"), r.files(t, "*.zip")...)
}

func TestReleaseNamesTheModulesOfEachProgram(t *testing.T) {
	r := snapshot(t)
	for _, path := range r.archives(t) {
		name := strings.TrimSuffix(strings.TrimSuffix(path, ".tar.gz"), ".zip")
		system := strings.TrimPrefix(filepath.Base(name), "ativa_"+r.version)
		checkSBOM(t, name+".cdx.json", r.files(t, "*"+system+"*/ativa*")[0])
	}
}

// The manifests of Homebrew, Scoop and winget name the archives, and Homebrew's also the manual.
func TestReleaseManifestsNameTheArchives(t *testing.T) {
	r := snapshot(t)
	manifest := func(path string) string { return string(read(t, filepath.Join(r.dir, path))) }
	cask := manifest("homebrew/Casks/ativa.rb")
	desktop := []string{manifest("scoop/ativa.json"), manifest("winget/manifests/a/Ativa/Ativa/" + r.version + "/Ativa.Ativa.installer.yaml")}
	for _, path := range r.archives(t) {
		name, manifests := filepath.Base(path), desktop
		if !strings.Contains(name, "windows") {
			name, manifests = strings.ReplaceAll(name, r.version, "#{version}"), []string{cask}
		}
		for _, says := range manifests {
			if !strings.Contains(says, name) {
				t.Errorf("%s is not in\n%s", name, says)
			}
		}
	}
	for _, page := range []string{"ativa.1", "ativa-subscribers-import.1"} {
		if !strings.Contains(cask, `manpage "docs/man/`+page+`"`) {
			t.Errorf("the cask has no manual page %s", page)
		}
	}
}

func TestReleaseArchiveHoldsProgramAndDocumentation(t *testing.T) {
	r := snapshot(t)
	dir := t.TempDir()
	command(t, "tar", "-xf", r.files(t, "*_linux_"+runtime.GOARCH+".tar.gz")[0], "-C", dir)
	checkFiles(t, dir, "LICENSE", "README.md", "CHANGELOG.md", "completions/ativa.bash", "completions/_ativa", "completions/ativa.fish",
		"completions/ativa.ps1", "docs/README.md", "docs/man/ativa.1", "docs/systemd/ativa.service")
	r.checkVersion(t, "/", filepath.Join(dir, "ativa"))
}

// installed returns the files of every Linux package; zsh is its directory for zsh.
func installed(zsh string) []string {
	return []string{"usr/bin/ativa", "usr/share/bash-completion/completions/ativa", "usr/share/fish/vendor_completions.d/ativa.fish",
		"usr/share/zsh/" + zsh + "/_ativa", "usr/share/man/man1/ativa.1", "usr/share/doc/ativa/copyright",
		"usr/share/doc/ativa/SECURITY.md", "usr/share/doc/ativa/docs/cli/ativa.md"}
}

const (
	unit     = "usr/lib/systemd/system/ativa.service"
	settings = "etc/ativa/ativa.env"
	database = "var/lib/ativa/ativa.db"
)

func TestReleaseDebIsInstalledRunRemovedAndPurged(t *testing.T) {
	r := snapshot(t)
	root := privateRoot(t)
	for _, dir := range []string{"updates", "info"} {
		must(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755))
	}
	write(t, filepath.Join(root, "var/lib/dpkg/status"), "", 0o644)
	dpkg := func(args ...string) string { return command(t, "dpkg", append([]string{"--root=" + root}, args...)...) }
	deb := r.linuxPackage(t, "deb")

	dpkg("--install", deb)
	r.checkInstalled(t, root, "vendor-completions")
	dpkg("--install", deb) // as an upgrade: a running service is not disabled
	checkCalls(t, root, "daemon-reload", "try-restart ativa.service", "daemon-reload", "daemon-reload", "try-restart ativa.service")

	write(t, filepath.Join(root, database), "subscribers", 0o600)
	dpkg("--remove", "ativa")
	checkCalls(t, root, "disable --now ativa.service", "daemon-reload")
	checkGone(t, root, "usr/*ativa*")
	checkFiles(t, root, settings)
	if said := dpkg("--purge", "ativa"); !strings.Contains(said, "the database stays in /var/lib/ativa") {
		t.Errorf("dpkg --purge: got %q", said)
	}
	checkGone(t, root, "etc/*ativa*")
	checkFiles(t, root, database)
}

func TestReleaseRPMIsInstalledRunAndRemoved(t *testing.T) {
	r := snapshot(t)
	root := privateRoot(t)
	rpm := func(args ...string) {
		command(t, "rpm", append([]string{"--root", root}, args...)...)
	}
	rpm("--initdb")
	rpm("--install", "--force-debian", "--nodeps", r.linuxPackage(t, "rpm"))
	r.checkInstalled(t, root, "site-functions")
	checkCalls(t, root, "daemon-reload", "try-restart ativa.service")
	write(t, filepath.Join(root, database), "subscribers", 0o600)
	rpm("--erase", "--force-debian", "ativa")
	checkCalls(t, root, "disable --now ativa.service", "daemon-reload")
	checkGone(t, root, "usr/*ativa*")
	checkFiles(t, root, database)
}

// An .apk is unpacked by tar. It has no service.
func TestReleaseAPKIsUnpackedAndRun(t *testing.T) {
	r := snapshot(t)
	root := privateRoot(t)
	command(t, "tar", "--warning=no-unknown-keyword", "-xzf", r.linuxPackage(t, "apk"), "-C", root)
	checkFiles(t, root, installed("site-functions")...)
	checkGone(t, root, unit)
	r.checkVersion(t, root, "/usr/bin/ativa")
}

// checkInstalled checks the files of a package with a service, and runs the program.
func (r *release) checkInstalled(t *testing.T, root, zsh string) {
	t.Helper()
	checkFiles(t, root, append(installed(zsh), unit, settings)...)
	if info, err := os.Stat(filepath.Join(root, settings)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s holds a password: got %v, %v", settings, info.Mode(), err)
	}
	program := regexp.MustCompile(`(?m)^ExecStart=(\S+)`).FindStringSubmatch(string(read(t, filepath.Join(root, unit))))
	r.checkVersion(t, root, program[1])
}

// checkVersion runs a program within a root.
func (r *release) checkVersion(t *testing.T, root, program string) {
	t.Helper()
	if got := command(t, "chroot", root, program, "version"); !strings.Contains(got, "\n"+r.version+"\t") {
		t.Errorf("%s version: got %q, want %s", program, got, r.version)
	}
}

// privateRoot returns a system with only a shell, and a systemctl that records its
// arguments.
func privateRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"run/systemd/system", "etc", "var/lib/ativa", "tmp"} {
		must(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		t.Fatalf("%v (Debian: busybox-static)", err)
	}
	write(t, filepath.Join(root, "bin/sh"), string(read(t, busybox)), 0o755)
	write(t, filepath.Join(root, "bin/systemctl"), "#!/bin/sh\necho \"$@\" >>/run/calls\n", 0o755)
	return root
}

// checkCalls compares the calls of systemctl since the last check.
func checkCalls(t *testing.T, root string, want ...string) {
	t.Helper()
	path := filepath.Join(root, "run/calls")
	if got := strings.Split(strings.TrimSpace(string(read(t, path))), "\n"); !slices.Equal(got, want) {
		t.Errorf("systemctl: got %q, want %q", got, want)
	}
	write(t, path, "", 0o644)
}

func checkFiles(t *testing.T, root string, names ...string) {
	t.Helper()
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: got %v, want a file", name, err)
		}
	}
}

// checkGone checks that no file matches a pattern of find.
func checkGone(t *testing.T, root, pattern string) {
	t.Helper()
	if left := command(t, "find", root, "-not", "-type", "d", "-path", root+"/"+pattern); left != "" {
		t.Errorf("got %s, want that it is gone", left)
	}
}

// write writes a file and the directories above it.
func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(content), mode))
}

// command runs a program to its end and returns its output.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", c, err, out)
	}
	return string(out)
}
