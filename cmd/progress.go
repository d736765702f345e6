package cmd

import "ativa/internal/render"

// newProgress tells on standard error, in the person's language, how far a long
// piece of work is, unless it is quiet. The caller closes it.
func (e *env) newProgress(label, unit string, total int, quiet bool) (*render.Progress, error) {
	screen, err := render.ScreenOf(e.err, e.global.color, e.getenv)
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
	return render.NewProgress(e.err, screen, render.ProgressOptions{
		Label: label, Unit: unit, Total: int64(total), Quiet: quiet || e.global.quiet, Line: line}), nil
}
