package cmd

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/failure"
	"ativa/internal/render"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

// sendOptions holds the flags for sending many rows.
type sendOptions struct {
	run.Options
	maxFailures string
	limit       cli.Limit // of --max-failures
}

// addFlags adds the flags of a command that sends many rows.
func (o *sendOptions) addFlags(f *pflag.FlagSet) {
	o.addPaceFlags(f)
	f.IntVar(&o.Rows, "batch-size", o.Rows, "rows per batch")
}

// addPaceFlags adds the flags of a command whose requests have one row each.
func (o *sendOptions) addPaceFlags(f *pflag.FlagSet) {
	o.Rows = 1000
	f.IntVar(&o.InFlight, "concurrency", 8, "batches in flight at the same time")
	f.Float64Var(&o.PerSec, "rate", 0, "maximum rows per second (default: no limit)")
	f.StringVar(&o.maxFailures, "max-failures", "", "stop when more than N, or N%, of the rows have failed; sends 50 at a time, unless --batch-size or --concurrency is given")
}

// complete validates the flags and derives defaults. --rate makes batches small because a batch is
// sent at once, --max-failures because batches in flight complete even when failures end the run.
func (o *sendOptions) complete(f *pflag.FlagSet) (err error) {
	switch {
	case o.InFlight < 1 || o.InFlight > run.MaxInFlight:
		return cli.Usage("--concurrency is 1 to 64")
	case o.Rows < 1 || o.Rows > api.MaxImportRows:
		return cli.Usage("--batch-size is 1 to %d", api.MaxImportRows)
	case o.PerSec < 0:
		return cli.Usage("--rate is 0 (no limit) or more")
	}
	if o.limit, err = cli.ParseLimit("--max-failures", o.maxFailures); err != nil {
		return err
	}
	if o.limit.Given && !f.Changed("concurrency") {
		o.InFlight = 1
	}
	if f.Changed("batch-size") {
		return nil
	}
	if o.limit.Given {
		o.Rows = 50
	}
	if o.PerSec > 0 {
		o.Rows = min(o.Rows, max(1, int(o.PerSec)))
	}
	return nil
}

// rowRun is a run over many rows in progress, the common part of import, provision, resend,
// sync and undo.
type rowRun struct {
	*cli.Env
	client   *client.Client
	unit     cli.Message  // name of its rows: rows, documents or changes
	total    int          // rows to send
	journal  *run.Journal // nil in a dry run, and for documents of the command line
	report   *reportFile  // nil for none
	progress *render.Progress
	waiter   *waiter        // nil without --wait
	results  map[string]int // rows by result; sheet.ResultUnknown counts rows sent without a response
	resumed  int            // rows with the result of an earlier run
	queued   int            // services queued by the limit
}

// answered returns the number of rows with a result.
func (r *rowRun) answered() (n int) {
	for result, rows := range r.results {
		if result != sheet.ResultUnknown {
			n += rows
		}
	}
	return n
}

// failed returns the number of refused rows.
func (r *rowRun) failed() int { return r.results[api.ResultFailed] }

// execute sends the rows by calling send, which calls record for each, and then ends report and
// journal. path is the path of the report, empty for none.
func (r *rowRun) execute(ctx context.Context, label cli.Message, path string, o sendOptions, send func(run.Options) error) (err error) {
	r.results = map[string]int{}
	if r.progress, err = r.NewProgress(label, r.unit, r.total, path == ""); err != nil {
		return err
	}
	defer r.progress.Close()
	noted := make(chan struct{})
	stopped := context.AfterFunc(ctx, func() {
		defer close(noted)
		if !r.Global.Quiet {
			r.progress.Note(r.Text("finishing what is under way; Ctrl-C again stops now"))
		}
	})
	defer func() {
		if !stopped() {
			<-noted // before anything else is printed
		}
	}()
	if path != "" {
		if r.report, err = createReport(r.Env, path, r.journal); err != nil {
			return err
		}
	}
	if o.limit.Given {
		o.TooMany = func(failed int) bool { return o.limit.Exceeded(failed, r.total) }
	}
	sent := send(o.Options)
	if err := r.report.end(r.journal); err != nil {
		return errors.Join(sent, err)
	}
	if sent == nil {
		sent = r.journal.End()
	}
	return sent
}

// queuedError returns exit 8 if the limit has queued activations, for --strict.
func (r *rowRun) queuedError() error {
	queued := r.queued
	if r.waiter != nil {
		queued = r.waiter.queued()
	}
	if queued == 0 {
		return nil
	}
	return &cli.Failure{Exit: cli.ExitPending, Code: "queued", Message: cli.Msg("%d [service is|services are] queued: the provider reached its limit of active services", queued),
		Hint: cli.Msg("they start when there is room; ask for a higher limit, or leave the queue with `ativa provision deactivate`")}
}

// afterWait returns the error of a run whose rows have these failures, and whose wait ended so. Failures
// are final, so they decide the exit code before services that are not.
func (r *rowRun) afterWait(failed, waited error) error {
	pending, ok := errors.AsType[*cli.Failure](waited)
	switch {
	case waited == nil:
		return failed
	case failed == nil, !ok, pending.Exit != cli.ExitPending, exitOf(failed) == cli.ExitPending:
		return waited
	}
	r.Notice("%s", pending.Message)
	return failed
}

// someFailed says how many rows of a run failed, wouldFail how many of a dry run.
func someFailed(failed, total int) cli.Message {
	return cli.Msg("%d of %d failed; the others are done", failed, total)
}
func wouldFail(failed, total int) cli.Message {
	return cli.Msg("%d of %d would fail; nothing was sent", failed, total)
}

// partialError returns exit 7. It has a text where the summary of the run is not printed, or is not
// for the reader of the output.
func partialError(e *cli.Env, message, hint cli.Message) error {
	if !e.Global.Quiet && !e.HasErrorObjects() {
		return &cli.SilentExit{Code: cli.ExitPartial}
	}
	return &cli.Failure{Exit: cli.ExitPartial, Code: "partial", Message: message, Hint: hint}
}

// incomplete returns the error of a run that ended early because of sent. message is its
// progress, again how to continue.
func (r *rowRun) incomplete(sent error, message, again cli.Message) error {
	switch {
	case errors.Is(sent, run.ErrTooManyFailures):
		return &cli.Failure{Exit: cli.ExitPartial, Code: "too_many_failures", Message: cli.Msg("stopped: %d of %d %s have failed", r.failed(), r.total, r.unit),
			Hint: cli.Msg("see the report; what was not sent is sent when the same command is run again")}
	case r.report == nil:
		return sent
	}
	exit := exitOf(sent)
	if exit == cli.ExitInvalidInput && r.journal.Stays() { // the file changed after some of it was sent
		exit = cli.ExitPartial
	}
	return &cli.Failure{Exit: exit, Code: "incomplete", Message: message, Hint: client.HintOfStop(sent, again), Err: sent}
}

// resumeHint returns how to continue a run over a file or a selection.
func (r *rowRun) resumeHint() cli.Message {
	if !r.journal.Stays() || !hasSource(r.journal.Spec) {
		return cli.Msg("run the same command again")
	}
	return cli.Msg("run the same command again, or: ativa imports resume %s", r.journal.ID)
}

// limitMemory limits the heap, so that the whole process stays within 64 MB. Below the limit
// no garbage is collected.
func limitMemory(e *cli.Env) {
	const heap = 32 << 20 // bytes
	if e.LimitMemory != nil {
		e.LimitMemory(heap)
	}
}

// dryRunFlags returns the spellings of the dry-run flag.
func dryRunFlags() []string { return []string{"-n", "--dry-run", "--dry-run=true"} }

func exitOf(err error) int { return failure.OutcomeOf(err).Exit }
