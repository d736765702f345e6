package cmd

import (
	"cmp"
	"context"
	"errors"
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
// the run (cli.md, Selecting).
type runSelection struct {
	pick    support.Selection
	journal *run.Journal          // has the documents; nil in a dry run
	queued  tempfile.List[string] // the documents of a dry run
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

// isEmpty reports whether a selection is empty and resumes no run.
func (s *runSelection) isEmpty() bool {
	return s != nil && s.changes == 0 && (s.journal == nil || !s.journal.Resumes())
}

// checkSelection checks the flags before any request.
func (r *provisionRun) checkSelection(given []string) (err error) {
	if r.maxChanges, err = r.pick.limit(); err != nil || !r.pick.isSet() {
		return err
	}
	if len(given) > 0 || r.path != "" {
		return cli.Usage("a selection takes the place of documents").WithHint("give documents, --file, or --status and --older-than")
	}
	if _, err := parseAge(r.pick.olderThan); err != nil || r.dryRun {
		return err
	}
	if r.Interactive() || r.maxChanges.Given {
		return nil
	}
	return cli.Usage("without a terminal a selection needs a limit").WithHint("give --max-changes N, or N% of all subscribers")
}

// selectDocuments evaluates the selection. An interrupted run continues with its documents,
// without those no longer selected.
func (r *provisionRun) selectDocuments(ctx context.Context) error {
	if !r.dryRun {
		if _, err := r.AsksToConfirm(true); err != nil {
			return err
		}
	}
	pick, err := r.pick.selection(ctx, r.Env, r.client)
	if err != nil {
		return err
	}
	pick.Product, pick.Newest = r.product.ID, r.product.ID != 0
	sel := &runSelection{pick: pick}
	r.selected = sel
	if !r.dryRun {
		spec := run.Spec{Kind: r.command(), Options: string(cli.ToJSON([]any{r.product.ID, r.all, r.atText, r.untilText})), Selection: selectionWords(r.product, pick.Statuses, r.pick.olderThan)}
		if sel.journal, err = openJournal(r.Env, spec, r.args); err != nil {
			return err
		}
	}
	switch {
	case sel.journal == nil:
		err = r.queueSelected(ctx)
	case sel.journal.Resumes():
		err = r.resumeSelection(ctx)
	default:
		err = sel.journal.SaveDocuments(r.selectedDocuments(ctx))
	}
	return selectionError(err)
}

// queueSelected stores the documents of a dry run.
func (r *provisionRun) queueSelected(ctx context.Context) error {
	queued := &r.selected.queued
	queued.Of = "the documents of the selection"
	for d, err := range r.selectedDocuments(ctx) {
		if err == nil {
			err = queued.Add(d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// resumeSelection continues with the documents of an interrupted run.
func (r *provisionRun) resumeSelection(ctx context.Context) error {
	sel := r.selected
	sel.open = map[string]bool{}
	for d, err := range sel.journal.Documents() {
		if err != nil {
			return err
		}
		if r.total++; !sel.journal.HasResult(r.total) {
			sel.open[d] = true
		}
	}
	for _, err := range r.selectedDocuments(ctx) {
		if err != nil {
			return err
		}
	}
	r.total -= len(sel.open)
	return nil
}

// selectedDocuments yields the selected documents and collects data for the confirmation.
func (r *provisionRun) selectedDocuments(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		seen := servicesSeen{}
		for item, err := range seen.watch(r.client.Subscribers(ctx)) {
			picked := false
			document := ""
			if err == nil {
				document, picked, err = r.consider(item.Value)
			}
			if (picked || err != nil) && !yield(document, err) || err != nil {
				return
			}
		}
		seen.notice(r.Env)
	}
}

// consider decides whether one subscriber is selected, and counts it.
func (r *provisionRun) consider(s api.Subscriber) (document string, picked bool, err error) {
	sel, document := r.selected, s.Document
	if d, err := sheet.Document(s.Document); err == nil {
		document = string(d)
	}
	sel.subscribers++
	newest, _ := api.NewestService(s.Services, r.product.ID)
	cancelable := r.operation == api.Deactivate && support.CanBeCanceled(newest)
	if cancelable {
		sel.cancelable++
	}
	service, picked, err := sel.pick.Pick(s.Services)
	if err != nil {
		return "", false, err
	}
	if sel.open != nil {
		open := sel.open[document]
		if picked || r.isDone(newest) {
			delete(sel.open, document)
		}
		picked = picked && open
	} else if picked {
		r.total++
	}
	if !picked {
		return "", false, nil
	}
	if sel.changes++; sel.changes == 1 {
		sel.who = support.Step{Name: s.Name, Document: document}
	}
	if cancelable {
		sel.cancels++
	}
	if len(sel.first) < shownBefore {
		sel.first = append(sel.first, r.describe(s.Name, document, service))
	}
	return document, true, nil
}

// isDone reports whether the service already has the operation's final status, as after a lost
// response.
func (r *provisionRun) isDone(s api.Service) bool {
	return r.operation != lifecycle.Resend && r.at.IsZero() && lifecycle.Reached(s.StatusID, r.operation)
}

// describe describes a subscriber and its selected service in one line.
func (r *provisionRun) describe(name, document string, s api.Service) cli.Message {
	who := cli.Msg("%s (%s)", name, cli.MaskDocument(document))
	if s.StatusUpdatedAt.IsZero() {
		return cli.Msg("%s: %s", who, lang.StatusName(s.Status))
	}
	return cli.Msg("%s: %s (%s)", who, lang.StatusName(s.Status), r.NoticeTime(s.StatusUpdatedAt.Time))
}

// confirmSelection shows who is selected, and asks. A declined selection is removed.
func (r *provisionRun) confirmSelection() error {
	sel := r.selected
	switch {
	case sel.changes == 0:
		r.Notice("nobody is selected, of %d [subscriber|subscribers]", sel.subscribers)
		return nil
	case r.maxChanges.Exceeded(sel.changes, sel.subscribers):
		return &cli.Failure{Exit: cli.ExitRefused, Code: "too_many_changes", Message: cli.Msg("%d [subscriber is|subscribers are] selected, of %d, more than --max-changes %s; nothing was sent", sel.changes, sel.subscribers, r.pick.maxChanges),
			Hint: cli.Msg("look at them with `ativa subscribers list` and the same flags")}
	case r.dryRun:
		return nil
	}
	r.Notice("%d [subscriber is|subscribers are] selected, of %d", sel.changes, sel.subscribers)
	what := andMore(sel.first, sel.changes)
	title := r.titleOf(sel.who, sel.changes)
	if sel.cancels > cli.MostCancellations {
		title = cancelTitle(sel.cancels, sel.cancelable, r.product)
	}
	if asks, err := r.AsksToConfirm(true); err != nil || asks {
		return cmp.Or(err, r.Confirm(cli.Confirmation{Title: title, What: what, Always: true, Cancellations: sel.cancels, Untyped: cli.MostCancellations}))
	}
	for _, line := range append([]cli.Message{title}, what...) { // no prompt showed it
		r.Notice("%s", line)
	}
	return nil
}

// closeSelection closes the journal and the documents of a selection.
func (r *provisionRun) closeSelection() error {
	if r.selected == nil {
		return nil
	}
	return errors.Join(r.selected.journal.Leave(), r.selected.queued.Close())
}

// selectionReport returns the path of a selection's report: that of the interrupted run, else a
// new one with today's date.
func (r *provisionRun) selectionReport() (string, error) {
	if earlier := r.selected.journal.Report().Path; earlier != "" {
		return earlier, nil
	}
	return datedReport(r.Env, r.command(), r.reportDir)
}

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
