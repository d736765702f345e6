package cmd

import (
	"slices"
	"strings"

	"ativa/internal/cli"
	"ativa/internal/sheet"
	"ativa/internal/system"
)

func (i *importRun) reportPath(suffix string) string {
	return cli.ReportPath(i.path, i.reportDir, suffix)
}

// noticeSummary prints the summary to standard error.
func (i *importRun) noticeSummary() {
	s := i.summary
	counted := []struct {
		n    int
		what cli.Message
	}{
		{s.Existing, cli.Msg("%d existed already", s.Existing)}, {s.Updated, cli.Msg("%d of them updated", s.Updated)},
		{s.Differing, cli.Msg("%d of them [differs|differ] from the file (--update-existing changes them)", s.Differing)},
		{s.Activated, cli.Msg("%d [service|services] of theirs activated", s.Activated)}, {s.Duplicate, cli.Msg("%d duplicate", s.Duplicate)},
		{s.Sent, cli.Msg("%d sent", s.Sent)}, {s.Failed, cli.Msg("%d refused by the server", s.Failed)}, {s.Invalid, cli.Msg("%d invalid", s.Invalid)},
		{s.Unknown, cli.Msg("%d without an answer", s.Unknown)}, {s.NotSent, cli.Msg("%d not sent", s.NotSent)},
	}
	if s.Resumed > 0 {
		i.Notice("%d [row was|rows were] done by an earlier run", s.Resumed)
	}
	parts := []string{i.Text("%d created", s.Created)}
	for _, c := range counted {
		if c.n > 0 {
			parts = append(parts, c.what.Text(i.Lang))
		}
	}
	if s.DryRun {
		i.Notice("would be imported: %s", strings.Join(parts, ", "))
	} else {
		i.Notice("imported: %s", strings.Join(parts, ", "))
	}
	if s.Queued > 0 {
		i.Notice("%d [service waits|services wait] in the queue: the provider's limit of active services is reached", s.Queued)
	}
	i.noticeFiles()
}

func (i *importRun) noticeFiles() {
	i.Notice("report: %s", i.summary.Report)
	if rejected := i.summary.Rejected; rejected != "" {
		i.Notice("refused rows: %s (fix them, then: %s)", rejected, i.reimportCommand())
	}
}

// reimportCommand returns the command that imports the refused rows once they are fixed, with the
// flags that say what they mean and where they go.
func (i *importRun) reimportCommand() string {
	words := append([]string{"ativa subscribers import"}, i.ConnectionFlags()...)
	d := i.file.Dialect
	utf8 := d.Workbook || d.Encoding == sheet.UTF16LE || d.Encoding == sheet.UTF16BE
	for _, word := range i.args {
		name, value, _ := strings.Cut(word, "=")
		if name == "--encoding" && utf8 || name == "--delimiter" && d.Workbook {
			continue // the rejected file is UTF-8, and has ; in place of cells
		}
		if slices.Contains([]string{"--delimiter", "--encoding", "--map", "--map-value"}, name) {
			words = append(words, name, system.ShellQuote(value))
		}
	}
	if i.activate {
		words = append(words, "--activate-existing")
	}
	if i.update {
		words = append(words, "--update-existing")
	}
	return strings.Join(append(words, system.ShellQuote(i.summary.Rejected)), " ")
}

// nextCommand returns the command to run next, or "" for none.
func (i *importRun) nextCommand(sent error) string {
	switch {
	case sent != nil && i.summary.Import != "":
		if !hasSource(i.journal.Spec) {
			return ""
		}
		return "ativa imports resume " + i.summary.Import
	case i.summary.Rejected != "":
		return i.reimportCommand()
	}
	return ""
}

// exitError returns the error that sets the exit code of an import that was sent.
func (i *importRun) exitError(sent error) error {
	s := i.summary
	switch {
	case sent != nil && s.Unknown+s.NotSent == 0:
		return i.incomplete(sent, cli.Msg("all rows have an answer, but the import did not end well"), i.resumeHint())
	case sent != nil:
		return i.incomplete(sent, cli.Msg("the import is not complete: %d [row|rows] without an answer, %d not sent", s.Unknown, s.NotSent), i.resumeHint())
	case s.Failed > 0 && s.Failed == s.answered():
		return &cli.Failure{Exit: cli.ExitRefused, Code: "batch_failed", Message: cli.Msg("%d [row was|rows were] refused, and none done", s.Failed), Hint: cli.Msg("see %s", s.Rejected)}
	case s.Failed > 0:
		message := someFailed(s.Failed+s.Invalid, s.Rows)
		if s.DryRun {
			message = wouldFail(s.Failed+s.Invalid, s.Rows)
		}
		return partialError(i.Env, message, cli.Msg("see %s", s.Rejected))
	case s.Invalid > 0 && i.unprinted != nil:
		return leftOutError(s.Invalid, i.unprinted, cli.Msg("see %s", s.Rejected))
	case s.Invalid > 0:
		return &cli.SilentExit{Code: cli.ExitPartial}
	case i.strict && !s.DryRun:
		return i.queuedError()
	}
	return nil
}

// answered returns the number of rows with an outcome.
func (s importSummary) answered() int {
	return s.Created + s.Existing + s.Duplicate + s.Sent + s.Failed
}

// done returns the number of rows that the server has, or may have, applied; 0 in a dry run.
func (s importSummary) done() int {
	if s.DryRun {
		return 0
	}
	return s.answered() - s.Failed + s.Unknown
}
