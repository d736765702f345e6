package cli

import "ativa/internal/system"

// outputFile is the file of --output-file; without that flag it is unused.
type outputFile struct {
	file  *system.Replacement
	whole bool // the last printer finished
}

// Write implements [io.Writer].
func (o *outputFile) Write(b []byte) (int, error) {
	o.whole = false
	return o.file.Write(b)
}

// OpenOutput redirects standard output to the file of --output-file. [Env.CloseOutput]
// completes it.
func (e *Env) OpenOutput() error {
	path := e.Global.Output.File
	if path == "" || e.output.file != nil {
		return nil
	}
	r, err := newReplacement(path)
	if err != nil {
		return Usage("--output-file: %s", err).WithHint("name a file in an existing directory that may be written")
	}
	e.output.file, e.Out = r, e.output
	return nil
}

// TakeOutput returns the path of --output-file for a command that writes the file itself.
func (e *Env) TakeOutput() (path string, err error) {
	if o := e.output; o.file != nil {
		err = o.file.Discard()
		o.file = nil
	}
	return e.Global.Output.File, err
}

// CloseOutput moves the file into place after a command ended with this exit code. If the
// command did not print all of its data, the older file stays. A second call does nothing.
func (e *Env) CloseOutput(exit int) error {
	o := e.output
	if o == nil || o.file == nil {
		return nil
	}
	file := o.file
	o.file = nil
	if o.whole || exit == ExitOK {
		return file.End(nil)
	}
	return file.Discard()
}
