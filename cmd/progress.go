package cmd

import (
	"context"
	"errors"

	"ativa/internal/bulk"
	"ativa/internal/render"
)

// newProgress tells on standard error, in the person's language, how far a long
// piece of work is, unless it is quiet. The caller closes it.
func (e *env) newProgress(label, unit string, total int, quiet bool) (*render.Progress, error) {
	screen, err := render.DetectScreen(e.err, e.global.color, e.getenv)
	if err != nil {
		return nil, err
	}
	label, unit = e.text(label), e.text(unit)
	line := func(s render.ProgressState) string {
		text := e.text("%s: %d of %d %s, %.0f a second", label, s.Done, s.Total, unit, s.Rate)
		if s.Left > 0 {
			text += e.text(", %s left", s.Left)
		}
		return text
	}
	p := render.NewProgress(e.err, screen, render.ProgressOptions{
		Label: label, Unit: unit, Total: int64(total), Quiet: quiet || e.global.quiet, Line: line})
	e.progress = p
	return p, nil
}

// stopping tells at once why nothing further is sent while requests are under
// way; see [bulk.Options].
func (e *env) stopping(p *render.Progress) func(cause error) {
	return func(cause error) {
		full, tooMany := errors.AsType[*bulk.TooManyFailures](cause)
		switch {
		case e.global.quiet:
		case tooMany:
			p.Note(e.text("%d have failed: nothing further is sent; finishing what is under way", full.Failed))
		case errors.Is(cause, context.Canceled):
			p.Note(e.text("finishing what is under way; Ctrl-C again stops now"))
		default:
			p.Note(e.text("stopping after an error; finishing what is under way"))
		}
	}
}

// tellStop has stopping told when ctx ends, until the function that it returns
// is called.
func (e *env) tellStop(ctx context.Context, p *render.Progress) (end func()) {
	told := make(chan struct{})
	unused := context.AfterFunc(ctx, func() {
		defer close(told)
		e.stopping(p)(context.Cause(ctx))
	})
	return func() {
		if !unused() {
			<-told
		}
	}
}
