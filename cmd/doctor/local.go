package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ativa/internal/cli"
	"ativa/internal/system"
)

// file checks the configuration file.
func (d *checker) file() bool {
	path, err := d.ConfigPath()
	if err != nil {
		d.fail(cli.ExitError, "config", cli.Msg("%s", err), cli.Msg("set HOME"))
		return false
	}
	if _, err := d.LoadSettings(); err != nil {
		d.failWith("config", err)
		return false
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		d.ok("config", cli.Msg("no file; it would be %s", path))
		return true
	}
	d.ok("config", cli.Msg("%s", path))
	return true
}

// permissions finds files that others can read or change.
func (d *checker) permissions() {
	var open []string
	visited := 0
	for _, dir := range []func() (string, error){d.ConfigDir, d.CacheDir, d.StateDir} {
		root, err := dir()
		if err != nil {
			continue
		}
		err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			const enough = 10_000
			if visited++; err != nil || visited > enough {
				return fs.SkipAll
			}
			if private, err := system.IsPrivate(path); err == nil && entry.Type().IsRegular() && !private {
				open = append(open, path)
			}
			return nil
		})
		if err != nil {
			d.warn("permissions", cli.Msg("%s", err), cli.Message{})
		}
	}
	if key := d.readableKey(); key != "" {
		open = append(open, key)
	}
	switch len(open) {
	case 0:
		d.ok("permissions", cli.Msg("only you can read ativa's files"))
	case 1:
		d.warn("permissions", cli.Msg("others have access to %s", open[0]), cli.Msg("%s", system.Privatise(open[0])))
	default:
		d.warn("permissions", cli.Msg("others have access to %s and %d more", open[0], len(open)-1), cli.Msg("%s", system.Privatise(filepath.Dir(open[0]))))
	}
}

// readableKey returns the path of the client certificate's key if others can read it, else "".
func (d *checker) readableKey() string {
	all, _, err := d.Values()
	if err != nil {
		return ""
	}
	path := all["client_key"].Text
	if private, err := system.IsPrivate(path); err == nil && !private {
		return path
	}
	return ""
}

// context checks the context and its server.
func (d *checker) context(ready bool) bool {
	if !ready {
		d.skip(cli.Msg("the configuration cannot be read"), "context")
		return false
	}
	chosen, err := d.Env.ChosenContext()
	if err != nil {
		d.failWith("context", err)
		return false
	}
	d.chosen = chosen
	what := cli.Msg("%s, server %s", cli.ContextName(chosen), chosen.Server)
	switch {
	case chosen.ReadOnly:
		what = cli.Msg("%s, read-only", what)
	case chosen.Protected:
		what = cli.Msg("%s, protected", what)
	}
	d.ok("context", what)
	return true
}
