package cmd

import (
	"context"
	"errors"
	"os/exec"
	"time"

	"ativa/internal/cli"
	"ativa/internal/sheet"
	"ativa/internal/system"
)

// openOutputOf runs a shell command and opens its output as a spreadsheet, stored in a
// temporary file. Its standard error is shown. It gets no standard input, which is for
// questions. If it fails, or prints no table, nothing is opened.
func openOutputOf(ctx context.Context, e *cli.Env, line string, o sheet.Options) (*sheet.File, error) {
	running, stop := context.WithCancel(ctx)
	defer stop()
	c := system.Shell(running, line)
	c.Stderr, c.WaitDelay = e.Err, 5*time.Second
	if !e.InTerminal() { // else Ctrl-C reaches all programs
		system.StopWithChildren(c)
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(running, func() { out.Close() })() // a child may hold it open
	f, opened := sheet.OpenReader(out, o)
	if _, isProblem := errors.AsType[*sheet.Problem](opened); opened != nil && !isProblem {
		stop() // its output is not read
	}
	ended := c.Wait()
	switch failed, exited := errors.AsType[*exec.ExitError](ended); {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case running.Err() != nil:
		err = opened
	case exited && failed.ExitCode() >= 0:
		err = commandFailure(cli.Msg("the command ended with exit code %d; nothing was sent", failed.ExitCode()), nil)
	case ended != nil:
		err = commandFailure(cli.Msg("the command ended abnormally; nothing was sent"), ended)
	default:
		return f, opened
	}
	if opened == nil {
		err = errors.Join(err, f.Close())
	}
	return nil, err
}

func commandFailure(message cli.Message, err error) *cli.Failure {
	return &cli.Failure{Exit: cli.ExitInvalidInput, Code: "command_failed", Message: message, Hint: cli.Msg("run the command alone to see why"), Err: err}
}
