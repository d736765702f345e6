package cmd

import (
	"context"
	"errors"
	"iter"
	"slices"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/sheet"
	"ativa/internal/support"
)

// givenDocuments are the documents of the command line.
type givenDocuments struct {
	r         *provisionRun
	documents []string
}

// parseArguments reads the arguments. A single one may be another word for a subscriber.
func parseArguments(r *provisionRun, given []string) (s *givenDocuments, err error) {
	s = &givenDocuments{r: r}
	r.total = len(given)
	switch len(given) {
	case 0:
		return s, cli.Usage("no document is given").WithHint("give documents, --file FILE, or select with --status or --older-than")
	case 1:
		r.only, err = parseSubscriberArg(r.Env, given[0])
		return s, err
	}
	s.documents, err = cli.ParseAll(given, cli.ParseDocument)
	f, wrong := errors.AsType[*cli.Failure](err)
	switch {
	case wrong && !slices.ContainsFunc(given, isComplete):
		return s, f.WithHint("put a text with spaces in quotes")
	case wrong:
		return s, f.WithHint("give several subscribers by CPF; a name or a telephone must be the only argument")
	}
	return s, err
}

// isComplete reports whether an argument is a CPF or a telephone number. If none of several
// arguments is, the shell has split one term.
func isComplete(word string) bool {
	_, err := cli.ParseDocument(word)
	return err == nil || support.IsPhone(word)
}

// find resolves the only argument to a document.
func (s *givenDocuments) find(ctx context.Context) error {
	if s.r.only == nil {
		return nil
	}
	err := s.r.only.find(ctx, s.r.Env, s.r.client)
	s.documents = []string{s.r.only.document}
	return err
}

func (s *givenDocuments) rows(context.Context) iter.Seq2[*sheet.Row, error] {
	return func(yield func(*sheet.Row, error) bool) {
		for i, d := range s.documents {
			row := &sheet.Row{Line: i + 1}
			row.Document = d
			if !yield(row, nil) {
				return
			}
		}
	}
}

func (s *givenDocuments) confirm(ctx context.Context) (bool, error) {
	_, err := s.r.confirmRisky(ctx)
	return true, err
}

func (s *givenDocuments) openJournal() (report string, err error) { return "", nil }

func (s *givenDocuments) close() error { return nil }

// fileOfDocuments is a checked file with the documents.
type fileOfDocuments struct {
	*sheet.File
	r *provisionRun
}

// openDocuments opens and checks the file of --file.
func openDocuments(ctx context.Context, r *provisionRun) (*fileOfDocuments, error) {
	if err := r.mapColumns(r.Env); err != nil {
		return nil, err
	}
	r.csv.Profile = sheet.Documents
	if r.operation == api.Activate {
		r.csv.Profile = sheet.ActiveDocuments
	}
	f, err := r.OpenSpreadsheet(ctx, r.path, r.csv)
	if err != nil {
		return nil, err
	}
	s := &fileOfDocuments{f, r}
	if r.total, err = s.check(ctx); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// check checks the whole file and counts its documents. For an invalid one it writes a report of
// every line and returns an error.
func (s *fileOfDocuments) check(ctx context.Context) (int, error) {
	r := s.r
	found, err := s.Check(ctx, sheet.Catalog{})
	for _, n := range s.Notices { // complete only after the check
		r.Notice("%s", &n)
	}
	if err == nil {
		err = r.store(r.Env)
	}
	if err != nil {
		return 0, err
	}
	if found.Invalid == 0 && len(found.Repairs) == 0 && found.Merged == 0 {
		return found.Valid, nil
	}
	noticeCheck(r.Env, found)
	if found.Invalid == 0 {
		return found.Valid, nil
	}
	report, err := writeCheckReport(ctx, r.Env, s.File, s.reportPath())
	if err != nil {
		return 0, err
	}
	return 0, &cli.Failure{Exit: cli.ExitInvalidInput, Code: "invalid_input", Message: cli.Msg("%d of %d [line is|lines are] invalid; nothing was sent", found.Invalid, found.Rows),
		Err: &found.First[0], Hint: cli.Msg("fix the file; %s lists every line", report)}
}

func (s *fileOfDocuments) reportPath() string {
	return cli.ReportPath(s.r.path, s.r.reportDir, ".report.csv")
}

func (s *fileOfDocuments) find(context.Context) error { return nil }

func (s *fileOfDocuments) rows(ctx context.Context) iter.Seq2[*sheet.Row, error] { return s.Rows(ctx) }

// confirm also asks before a file of many rows is sent from a terminal.
func (s *fileOfDocuments) confirm(ctx context.Context) (bool, error) {
	r := s.r
	if asked, err := r.confirmRisky(ctx); asked || err != nil || r.dryRun {
		return true, err
	}
	emails := 0
	if r.operation == api.Activate {
		emails = r.total
	}
	return true, r.Confirm(cli.Confirmation{Title: r.titleOf(support.Step{}, r.total), Always: r.ConfirmsRows(r.total),
		What: []cli.Message{cli.RowCounts(r.total, r.total, emails)}})
}

func (s *fileOfDocuments) openJournal() (report string, err error) {
	r := s.r
	r.journal, err = openFileJournal(r.Env, r.command(), r.path, s.File, []any{r.product.ID, r.meaning(), r.atText, r.untilText}, r.args)
	return s.reportPath(), err
}

func (s *fileOfDocuments) close() error { return s.Close() }
