package cmd

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/render"
)

// schemaVersion is incremented when a JSON change may affect a program; see docs/output.md.
const schemaVersion = 1

// build is the output of `ativa version`.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Date    string `json:"date"`
	Go      string `json:"go"`
	System  string `json:"system"`
	// Schema is the version of the JSON shapes, see docs/output.md.
	Schema int `json:"schema_version" column:"extra"`
}

func builds() render.Schema[build] { return cli.SchemaOf[build]("version", "versions", "") }

func newVersion(e *cli.Env) *cobra.Command {
	return cli.Prints(e, builds, &cobra.Command{
		Use: "version", Short: "Print the version of the program", GroupID: "help", Args: cli.Args(cobra.NoArgs),
		SuggestFor:  []string{"versao", "versão"},
		Annotations: map[string]string{cli.ExitCodes: ""},
		Example:     "  ativa version\n  ativa version -o json",
	}, func(ctx context.Context, p *render.Printer[build], _ []string) error {
		return p.One(ctx, nil, currentBuild())
	})
}

// currentBuild returns the values set by the linker, or else Go's record of the working tree.
func currentBuild() build {
	b := build{cli.Version, cli.Commit, cli.Date, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, schemaVersion}
	info, ok := debug.ReadBuildInfo()
	if !ok || cli.Commit != "" {
		return b
	}
	for _, s := range info.Settings { // by name, so that "modified" comes before "revision"
		switch {
		case s.Key == "vcs.revision":
			b.Commit = s.Value[:min(len(s.Value), 12)] + b.Commit
		case s.Key == "vcs.modified" && s.Value == "true":
			b.Commit += "-modified"
		case s.Key == "vcs.time":
			b.Date = s.Value
		}
	}
	return b
}
