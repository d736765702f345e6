package cmd

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/cli"
	"ativa/internal/run"
	"ativa/internal/sheet"
	"ativa/internal/system"
)

// journalDir returns the directory of run journals.
func journalDir(e *cli.Env) (run.JournalDir, error) {
	dir, err := e.StateDir()
	return run.JournalDir{Path: filepath.Join(dir, "imports"), Clock: e.Now}, err
}

// findRun returns the run with an id.
func findRun(e *cli.Env, id string) (run.Info, error) {
	all, err := journalDir(e)
	if err != nil {
		return run.Info{}, err
	}
	return all.Get(id)
}

// openFileJournal is [openJournal] for the rows of a file. path is the file as the user named it;
// options distinguish the run from others over the same file.
func openFileJournal(e *cli.Env, kind, path string, f *sheet.File, options []any, args []string) (*run.Journal, error) {
	hash, err := f.SHA256()
	if err != nil {
		return nil, err
	}
	return openJournal(e, run.Spec{Kind: kind, File: cli.AbsolutePath(path), SHA256: hash, Options: string(cli.ToJSON(options))}, args)
}

// openJournal finds the unfinished run of the same work in the chosen context, or begins one.
// For `ativa imports resume` it accepts only the run with that id.
func openJournal(e *cli.Env, spec run.Spec, args []string) (*run.Journal, error) {
	chosen, err := e.ChosenContext()
	if err != nil {
		return nil, err
	}
	spec.Server, spec.Context = chosen.Server, chosen.Name
	all, err := journalDir(e)
	if err != nil {
		return nil, err
	}
	var j *run.Journal
	if e.Resume != "" {
		j, err = all.Resume(e.Resume, spec)
	} else {
		j, err = all.Open(spec, args)
	}
	if err != nil {
		return nil, err
	}
	if j.Resumes() {
		e.Notice("continuing %s, started on %s", j.ID, e.DateTime(j.Started))
	}
	return j, nil
}

// commandLine returns the command so that it can run again from any directory. It omits flags
// with possible secrets: a journal stores none.
func commandLine(c *cobra.Command, positional ...string) []string {
	return slices.Concat(strings.Fields(c.CommandPath())[1:], givenFlags(c, "proxy", "from-command"), cli.Map(positional, cli.AbsolutePath))
}

// givenFlags returns the flags that were set on a command, except the named ones. Paths are made
// absolute.
func givenFlags(c *cobra.Command, without ...string) (args []string) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(without, f.Name) {
			return
		}
		switch values := f.Value.(type) {
		case interface{ GetSlice() []string }:
			for _, v := range values.GetSlice() {
				args = append(args, "--"+f.Name+"="+v)
			}
		default:
			value := f.Value.String()
			if slices.Contains([]string{"file", "apply", "report-dir", "output-file", "token-file", "ca-cert", "client-cert", "client-key"}, f.Name) {
				value = cli.AbsolutePath(value)
			}
			args = append(args, "--"+f.Name+"="+value)
		}
	})
	return args
}

// hasSource reports whether the file of a run is there and still the one that it began with. Standard
// input and devices can be given once more.
func hasSource(s run.Spec) bool {
	if s.File == "" || s.File == "-" {
		return true
	}
	if info, err := os.Stat(s.File); err != nil || !info.Mode().IsRegular() {
		return err == nil
	}
	f, hash, err := system.OpenHashed(s.File)
	if err != nil {
		return false
	}
	f.Close()
	return hash == s.SHA256
}

func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
