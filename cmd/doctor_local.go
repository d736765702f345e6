package cmd

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// file reads the configuration file.
func (d *doctor) file() bool {
	path, err := d.configPath()
	if err != nil {
		d.wrong(exitError, "config", say("%s", err), say("set HOME"))
		return false
	}
	if _, err := d.loadSettings(); err != nil {
		x := explain(err)
		d.wrong(x.exit, "config", say("%s", err), x.hint.or(say("mend that line of %s", path)))
		return false
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		d.ok("config", say("no file; it would be %s", path))
		return true
	}
	d.ok("config", say("%s", path))
	return true
}

// permissions looks for files that others could read.
func (d *doctor) permissions() {
	if runtime.GOOS == "windows" {
		d.skip(say("Windows has no such permissions"), "permissions")
		return
	}
	var open []string
	looked := 0
	for _, dir := range []func() (string, error){d.configDir, d.cacheDir, d.stateDir} {
		root, err := dir()
		if err != nil {
			continue
		}
		err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			const enough = 10_000
			if looked++; err != nil || looked > enough {
				return fs.SkipAll
			}
			info, err := entry.Info()
			if err == nil && info.Mode().IsRegular() && !isPrivate(info) {
				open = append(open, path)
			}
			return nil
		})
		if err != nil {
			d.warn("permissions", say("%s", err), phrase{})
		}
	}
	if key := d.openKey(); key != "" {
		open = append(open, key)
	}
	switch len(open) {
	case 0:
		d.ok("permissions", say("only you can read ativa's files"))
	case 1:
		d.warn("permissions", say("others can read %s", open[0]), say("chmod 600 %s", shellWord(open[0])))
	default:
		d.warn("permissions", say("others can read %s and %d more", open[0], len(open)-1), say("chmod -R go= %s", shellWord(filepath.Dir(open[0]))))
	}
}

// openKey is the key of the client certificate, if others can read it.
func (d *doctor) openKey() string {
	all, _, err := d.values()
	if err != nil {
		return ""
	}
	path := all["client_key"].text
	if info, err := os.Stat(path); err == nil && !isPrivate(info) {
		return path
	}
	return ""
}

// context finds the context and its server.
func (d *doctor) context(ready bool) bool {
	if !ready {
		d.skip(say("the configuration cannot be read"), "context")
		return false
	}
	chosen, err := d.env.chosen()
	if err != nil {
		x := explain(err)
		d.wrong(x.exit, "context", say("%s", err), x.hint)
		return false
	}
	d.chosen = chosen
	what := say("%s, server %s", cmp.Or(chosen.Name, "(none)"), chosen.Server)
	switch {
	case chosen.ReadOnly:
		what = say("%s, read-only", what)
	case chosen.Protected:
		what = say("%s, protected", what)
	}
	d.ok("context", what)
	return true
}
