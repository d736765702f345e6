package cli

import "ativa/internal/render"

// NewProgress shows a progress bar on standard error, in the person's language, unless quiet is
// set. The caller closes it.
func (e *Env) NewProgress(label, unit Message, total int, quiet bool) (*render.Progress, error) {
	screen, err := render.DetectScreen(e.Err, e.Global.color, e.Getenv)
	if err != nil {
		return nil, err
	}
	line := func(s render.ProgressState) string {
		text := e.Text("%s: %d of %d %s, %.0f a second", label, s.Done, s.Total, unit, s.Rate)
		if s.Left > 0 {
			text += e.Text(", %s left", s.Left)
		}
		return text
	}
	p := render.NewProgress(e.Err, screen, render.ProgressOptions{Total: int64(total), Quiet: quiet || total == 1 || e.Global.Quiet, Line: line})
	e.progress = p
	return p, nil
}
