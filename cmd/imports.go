package cmd

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/run"
)

func newImports(e *cli.Env) *cobra.Command {
	return e.Group(&cobra.Command{
		Use: "imports", Short: "List, resume and undo imports and other runs over a file", GroupID: "many",
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits},
	}, newImportsList(e), newImportsPurge(e), newImportsResume(e), newImportsShow(e), newImportsUndo(e))
}

func importEntries() render.Schema[run.Info] {
	return render.Schema[run.Info]{One: "import", Many: "imports", Empty: "no imports or other runs over a file", Columns: []render.Column[run.Info]{
		{Name: "id", Value: func(e run.Info) string { return e.ID }},
		{Name: "kind", Kind: render.Word, Value: func(e run.Info) string { return e.Kind }},
		{Name: "state", Kind: render.Word, Value: func(e run.Info) string { return e.State }},
		{Name: "started", Kind: render.Time, Value: func(e run.Info) string { return e.Started.Format(time.RFC3339) }},
		{Name: "done", Kind: render.Number, Value: func(e run.Info) string { return strconv.Itoa(e.Done) }},
		{Name: "failed", Kind: render.Number, Value: func(e run.Info) string { return strconv.Itoa(e.Failed) }},
		{Name: "unanswered", Kind: render.Number, Priority: -1, Value: func(e run.Info) string { return strconv.Itoa(e.Unanswered) }},
		{Name: "context", Priority: -2, Value: func(e run.Info) string { return e.Context }},
		{Name: "file", Kind: render.Path, Priority: 1, Value: func(e run.Info) string { return cmp.Or(e.File, e.Selection) }},
	}, JSON: cli.ToJSON[run.Info]}
}

func newImportsList(e *cli.Env) *cobra.Command {
	return cli.Prints(e, importEntries, cli.AddLimit(e, &cobra.Command{
		Use: "list", Short: "List the runs that this user began on this machine", Args: cli.Args(cobra.NoArgs),
		SuggestFor: []string{"runs", "importacoes", "importações"},
		Long:       "List the runs that this user began on this machine, in every context, the latest\nfirst. `ativa imports resume`, or the same command, continues an interrupted\none.",
		Example:    "  ativa imports list\n  ativa imports list -o json \\\n      --jq '.imports[] | select(.state==\"interrupted\") | .id'",
	}), func(ctx context.Context, p *render.Printer[run.Info], _ []string) error {
		journals, err := journalDir(e)
		if err != nil {
			return err
		}
		all, err := journals.List()
		p.Respond(cli.Response(err, len(all) > 0))
		if printed := p.Results(ctx, nil, all); err == nil {
			err = printed
		}
		return err
	})
}

func newImportsShow(e *cli.Env) *cobra.Command {
	return cli.Prints(e, importEntries, &cobra.Command{
		Use: "show ID", Short: "Show one run", Args: cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: completeRuns(e, func(run.Info) bool { return true }),
		Example:           "  ativa imports show 7f3a9c2e-1\n  ativa imports show 7f3a9c2e-1 -o json",
	}, func(ctx context.Context, p *render.Printer[run.Info], args []string) error {
		entry, err := findRun(e, args[0])
		if err != nil {
			return err
		}
		return p.One(ctx, nil, entry)
	})
}

func newImportsResume(e *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "resume ID", Short: "Continue an interrupted run", Args: cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: completeRuns(e, isResumable),
		SuggestFor:        []string{"continue", "retomar", "continuar"},
		Annotations:       map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5 6 7 8"},
		Long: `Continue an interrupted run: its command runs again, without repeating what was
done. File, server and options must be those of the first command; otherwise
nothing is sent (exit 6). A file from standard input must be given again, and so
must --proxy, which may hold a password and is not stored.`,
		Example: "  ativa imports resume 7f3a9c2e-1\n  ativa imports resume 7f3a9c2e-1 -o json",
		RunE: func(c *cobra.Command, args []string) error {
			return runImportsResume(c, e, args[0])
		},
	}
}

func runImportsResume(c *cobra.Command, e *cli.Env, id string) error {
	entry, err := findRun(e, id)
	if err != nil {
		return err
	}
	finished := entry.State == run.StateFinished
	if entry.File == fromCommand && !finished {
		return cli.Usage("%s read the output of a command, which is not kept", id).WithHint("run the same ativa sync --from-command again to continue this run")
	}
	args := slices.Concat(entry.Args, givenFlags(c))
	if err := checkContextOfCommand(e, entry, args); err != nil {
		return err
	}
	if finished {
		e.Notice("%s is finished: %d [row|rows] done, %d failed", entry.ID, entry.Done, entry.Failed)
		return e.PrintSuccess(c.Context())
	}
	if isFile(entry.File) && !hasSource(entry.Spec) { // before the check of the file replaces the report
		return run.OtherFile(id)
	}
	if entry.Selection != "" { // already confirmed
		args = append(args, "--max-changes=100%")
	}
	again := *e
	again.Global, again.Args, again.Resume = cli.GlobalOptions{}, nil, id
	root := newRoot(&again)
	root.SetArgs(args)
	root.SetIn(e.In)
	root.SetErr(e.Err)
	return root.ExecuteContext(c.Context())
}

// checkContextOfCommand is [checkContextOf] for the context that a command line chooses.
func checkContextOfCommand(e *cli.Env, entry run.Info, args []string) error {
	again := *e
	again.Global = cli.GlobalOptions{}
	command, flags, err := newRoot(&again).Find(args)
	if err != nil {
		return err
	}
	if err := command.ParseFlags(flags); err != nil {
		return command.FlagErrorFunc()(command, err)
	}
	return checkContextOf(&again, entry)
}

// checkContextOf refuses a run of another context: its subscribers belong to another
// provider.
func checkContextOf(e *cli.Env, entry run.Info) error {
	chosen, err := e.ChosenContext()
	if err != nil {
		return err
	}
	if chosen.Server != entry.Server || chosen.Name != entry.Context {
		return &cli.Failure{Exit: cli.ExitInvalidInput, Code: "other_run", Message: cli.Msg("the run is for context %q on %s, not for %q on %s; nothing was sent", entry.Context, entry.Server, chosen.Name, chosen.Server),
			Hint: cli.Msg("name its context with --context")}
	}
	return nil
}

func newImportsPurge(e *cli.Env) *cobra.Command {
	var older string
	var all bool
	c := &cobra.Command{
		Use: "purge [ID…]", Short: "Forget finished runs", Args: cli.Args(cobra.ArbitraryArgs),
		ValidArgsFunction: completeRuns(e, isPurgeable),
		Long:              "Forget all finished runs, or the given ones. An interrupted run is forgotten\nonly if it is given, or with --all, and cannot be resumed then.",
		Example:           "  ativa imports purge --older-than 30d\n  ativa imports purge 7f3a9c2e-1",
		RunE: func(c *cobra.Command, args []string) error {
			age, err := parseAge(older)
			switch {
			case err != nil:
				return err
			case len(args) > 0 && (age > 0 || all):
				return cli.Usage("--older-than and --all choose among all runs").WithHint("give them, or ids")
			}
			return runImportsPurge(c.Context(), e, args, age, all)
		},
	}
	c.Flags().StringVar(&older, "older-than", "", "only runs that have not changed for at least this long: 12h, 30d")
	c.Flags().BoolVar(&all, "all", false, "also interrupted runs")
	return c
}

func runImportsPurge(ctx context.Context, e *cli.Env, ids []string, older time.Duration, all bool) error {
	journals, err := journalDir(e)
	if err != nil {
		return err
	}
	for _, id := range ids { // all are there, or none is forgotten
		if _, err := journals.Get(id); exitOf(err) == cli.ExitNotFound { // a damaged one is there
			return err
		}
	}
	var damaged error
	if len(ids) == 0 {
		var entries []run.Info
		entries, damaged = journals.List()
		for _, entry := range entries {
			finished := entry.State == run.StateFinished || all && entry.State == run.StateInterrupted
			undone := slices.ContainsFunc(entries, func(undo run.Info) bool { // by a run that is not finished and needs it
				return undo.Kind == "undo" && undo.Options == entry.ID && undo.State != run.StateFinished
			})
			if finished && (all || !undone) && e.Now().Sub(entry.Updated) >= older {
				ids = append(ids, entry.ID)
			}
		}
	}
	for _, id := range ids {
		if err := journals.Remove(id); err != nil {
			return err
		}
	}
	e.Notice("%d [run|runs] forgotten", len(ids))
	if damaged != nil {
		return damaged
	}
	return e.PrintSuccess(ctx)
}

// completeRuns completes the ids of runs accepted by takes, latest first.
func completeRuns(e *cli.Env, takes func(run.Info) bool) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
		all, err := journalDir(e)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		runs, _ := all.List() // unreadable runs are left out
		var words []string
		for _, one := range runs {
			if !slices.Contains(given, one.ID) && strings.HasPrefix(one.ID, typed) && takes(one) {
				words = append(words, one.ID+"\t"+render.Sanitise(one.Kind+" "+cmp.Or(one.Selection, filepath.Base(one.File))+", "+e.Lang.Word(one.State)))
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// isResumable reports whether `ativa imports resume` can continue a run.
func isResumable(one run.Info) bool {
	return one.State == run.StateInterrupted && hasSource(one.Spec)
}

func isPurgeable(one run.Info) bool { return one.State != run.StateRunning }
