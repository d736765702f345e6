package cli

// outputFile is what --output-file writes; it holds nothing without that flag.
type outputFile struct{ *replacement }

// OpenOutput makes the file of --output-file standard output, as if that were a
// pipe. [Env.CloseOutput] ends it.
func (e *Env) OpenOutput() error {
	path := e.Global.Output.File
	if path == "" || e.output.replacement != nil {
		return nil
	}
	r, err := newReplacement(path)
	if err != nil {
		return Usage("--output-file: %s", err).WithHint("give the name of a file in a directory that exists")
	}
	e.output.replacement, e.Out = r, r
	return nil
}

// CloseOutput puts the file in its place after a command that ended with this exit
// code. After one that did not print all of its data it leaves the older file
// untouched.
func (e *Env) CloseOutput(exit int) error {
	r := e.output.replacement
	if r == nil {
		return nil
	}
	switch exit {
	case ExitOK, ExitPartial, ExitPending:
		return r.end(nil)
	}
	return r.discard()
}
