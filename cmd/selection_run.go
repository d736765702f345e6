package cmd

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
	"ativa/internal/run"
	"ativa/internal/sheet"
	"ativa/internal/support"
	"ativa/internal/system"
	"ativa/internal/tempfile"
)

// runSelection holds the subscribers selected by a run's flags. Their documents are the rows of
// the run (cli.md, Selecting), kept in its journal.
type runSelection struct {
	r          *provisionRun
	pick       support.Selection
	maxChanges cli.Limit
	queued     tempfile.List[string] // the documents of a dry run, which has no journal
	// open are the documents of an interrupted run without a result; after the evaluation,
	// those no longer selected. It is nil for a new selection.
	open        map[string]bool
	subscribers int           // all subscribers of the server
	changes     int           // selected documents not done yet
	first       []cli.Message // the first of these
	cancels     int           // services to cancel
	cancelable  int           // cancelable services
	who         support.Step  // the first selected subscriber
}

// newRunSelection checks the flags before any request.
func newRunSelection(r *provisionRun, limit cli.Limit, given []string) (*runSelection, error) {
	s := &runSelection{r: r, maxChanges: limit}
	if len(given) > 0 || r.path != "" {
		return s, cli.Usage("a selection takes the place of documents").WithHint("give documents, --file, or --status and --older-than")
	}
	if _, err := parseAge(r.pick.olderThan); err != nil || r.dryRun || r.Interactive() || limit.Given {
		return s, err
	}
	return s, cli.Usage("without a terminal a selection needs a limit").WithHint("give --max-changes N, or N% of all subscribers")
}

// find evaluates the selection. An interrupted run continues with its documents, without those no
// longer selected.
func (s *runSelection) find(ctx context.Context) error {
	r := s.r
	if !r.dryRun {
		if _, err := r.AsksToConfirm(true); err != nil {
			return err
		}
	}
	var err error
	if s.pick, err = r.pick.selection(ctx, r.Env, r.client); err != nil {
		return err
	}
	s.pick.Product, s.pick.Newest = r.product.ID, r.product.ID != 0
	if !r.dryRun {
		spec := run.Spec{Kind: r.command(), Options: string(cli.ToJSON([]any{r.product.ID, r.all, r.atText, r.untilText})), Selection: selectionWords(r.product, s.pick.Statuses, r.pick.olderThan)}
		if r.journal, err = openJournal(r.Env, spec, r.args); err != nil {
			return err
		}
	}
	switch {
	case r.dryRun:
		err = s.queue(ctx)
	case r.journal.Resumes():
		err = s.resume(ctx)
	default:
		err = r.journal.SaveDocuments(s.selected(ctx))
	}
	return selectionError(err)
}

// queue stores the documents of a dry run.
func (s *runSelection) queue(ctx context.Context) error {
	s.queued.Of = "the documents of the selection"
	for d, err := range s.selected(ctx) {
		if err == nil {
			err = s.queued.Add(d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// resume continues with the documents of an interrupted run.
func (s *runSelection) resume(ctx context.Context) error {
	r := s.r
	s.open = map[string]bool{}
	for d, err := range r.journal.Documents() {
		if err != nil {
			return err
		}
		if r.total++; !r.journal.HasResult(r.total) {
			s.open[d] = true
		}
	}
	for _, err := range s.selected(ctx) {
		if err != nil {
			return err
		}
	}
	r.total -= len(s.open)
	return nil
}

// selected yields the selected documents and collects data for the confirmation.
func (s *runSelection) selected(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		seen := servicesSeen{}
		for item, err := range seen.watch(s.r.client.Subscribers(ctx)) {
			picked := false
			document := ""
			if err == nil {
				document, picked, err = s.consider(item.Value)
			}
			if (picked || err != nil) && !yield(document, err) || err != nil {
				return
			}
		}
		seen.notice(s.r.Env)
	}
}

// consider decides whether one subscriber is selected, and counts it.
func (s *runSelection) consider(of api.Subscriber) (document string, picked bool, err error) {
	r, document := s.r, of.Document
	if d, err := sheet.Document(of.Document); err == nil {
		document = string(d)
	}
	s.subscribers++
	newest, _ := api.NewestService(of.Services, r.product.ID)
	cancelable := r.operation == api.Deactivate && support.CanBeCanceled(newest)
	if cancelable {
		s.cancelable++
	}
	service, picked, err := s.pick.Pick(of.Services)
	if err != nil {
		return "", false, err
	}
	if s.open != nil {
		open := s.open[document]
		if picked || r.isDone(newest) {
			delete(s.open, document)
		}
		picked = picked && open
	} else if picked {
		r.total++
	}
	if !picked {
		return "", false, nil
	}
	if s.changes++; s.changes == 1 {
		s.who = support.Step{Name: of.Name, Document: document}
	}
	if cancelable {
		s.cancels++
	}
	if len(s.first) < shownBefore {
		s.first = append(s.first, s.describe(of.Name, document, service))
	}
	return document, true, nil
}

// isDone reports whether the service already has the operation's final status, as after a lost
// response.
func (r *provisionRun) isDone(s api.Service) bool {
	return r.operation != lifecycle.Resend && r.at.IsZero() && lifecycle.Reached(s.StatusID, r.operation)
}

// describe describes a subscriber and its selected service in one line.
func (s *runSelection) describe(name, document string, service api.Service) cli.Message {
	who := cli.Msg("%s (%s)", name, cli.MaskDocument(document))
	if service.StatusUpdatedAt.IsZero() {
		return cli.Msg("%s: %s", who, lang.StatusName(service.Status))
	}
	return cli.Msg("%s: %s (%s)", who, lang.StatusName(service.Status), s.r.NoticeTime(service.StatusUpdatedAt.Time))
}

// rows yields the documents of the run, also those that are selected no longer.
func (s *runSelection) rows(context.Context) iter.Seq2[*sheet.Row, error] {
	documents := s.queued.All()
	if s.r.journal != nil {
		documents = s.r.journal.Documents()
	}
	return func(yield func(*sheet.Row, error) bool) {
		line := 0
		for d, err := range documents {
			line++
			row := &sheet.Row{Line: line}
			row.Document = d
			if s.open[d] {
				row.Problems = []sheet.Problem{{Refusal: s.r.Text("not selected any more: the service has changed since the run began")}}
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// confirm shows who is selected, and asks. A declined selection is removed.
func (s *runSelection) confirm(context.Context) (bool, error) {
	r := s.r
	switch {
	case s.changes == 0:
		r.Notice("nobody is selected, of %d [subscriber|subscribers]", s.subscribers)
		return r.journal != nil && r.journal.Resumes(), nil // what is selected no longer is reported
	case s.maxChanges.Exceeded(s.changes, s.subscribers):
		return false, &cli.Failure{Exit: cli.ExitRefused, Code: "too_many_changes", Message: cli.Msg("%d [subscriber is|subscribers are] selected, of %d, more than --max-changes %s; nothing was sent", s.changes, s.subscribers, r.pick.maxChanges),
			Hint: cli.Msg("look at them with `ativa subscribers list` and the same flags")}
	case r.dryRun:
		return true, nil
	}
	r.Notice("%d [subscriber is|subscribers are] selected, of %d", s.changes, s.subscribers)
	what := andMore(s.first, s.changes)
	title := r.titleOf(s.who, s.changes)
	if s.cancels > cli.MostCancellations {
		title = cancelTitle(s.cancels, s.cancelable, r.product)
	}
	asks, err := r.AsksToConfirm(true)
	if err != nil {
		return false, err
	}
	if asks {
		return true, r.Confirm(cli.Confirmation{Title: title, What: what, Always: true, Cancellations: s.cancels, Untyped: cli.MostCancellations})
	}
	for _, line := range append([]cli.Message{title}, what...) { // no prompt showed it
		r.Notice("%s", line)
	}
	return true, nil
}

// openJournal returns the path of the report: that of the interrupted run, else a new one with
// today's date.
func (s *runSelection) openJournal() (report string, err error) {
	return datedReport(s.r.Env, s.r.journal, s.r.command(), s.r.reportDir)
}

func (s *runSelection) close() error { return s.queued.Close() }

// selectionWords returns the flags in a form that can be typed again. Equal selections have equal
// words.
func selectionWords(product api.Product, statuses []api.Status, olderThan string) string {
	var words []string
	add := func(flag, value string) {
		if value != "" {
			words = append(words, flag, system.ShellQuote(value))
		}
	}
	if product.ID != 0 {
		add("--product", cmp.Or(product.Code, number(product.ID)))
	}
	names := cli.Map(statuses, func(s api.Status) string { return s.Name })
	slices.Sort(names) // their order does not matter
	add("--status", strings.Join(slices.Compact(names), ","))
	add("--older-than", olderThan)
	return strings.Join(words, " ")
}
