package settings

import (
	"errors"
	"io/fs"
	"syscall"

	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/system"
)

// wrongLine returns an error in a line of a file. The caller adds the path, see inFile.
func wrongLine(line int, m lang.Message) *failure.Failure {
	return &failure.Failure{Exit: failure.ExitUsage, Code: "config", Message: lang.Msg("%s: %s", lang.Msg("line %d", line), m),
		Hint: lang.Msg("fix that line with an editor")}
}

// inFile adds the path of the file to an error.
func inFile(path string, err error) error {
	place := lang.Msg("configuration file %s", path)
	if line, ok := errors.AsType[*failure.Failure](err); ok {
		line.Message = lang.Msg("%s: %s", place, line.Message)
		return line
	}
	f := &failure.Failure{Exit: failure.ExitUsage, Code: "config", Message: place, Err: err, Hint: lang.Msg("fix that line with an editor")}
	if _, unreadable := errors.AsType[syscall.Errno](err); unreadable {
		f.Hint = lang.Msg("name an existing file that may be read")
	}
	if system.IsForbidden(err) {
		f.Hint = failure.OutcomeOf(err).Hint
	}
	return f
}

// notWritten returns the error of a file that cannot be written.
func notWritten(path string, err error) error {
	o := failure.OutcomeOf(err)
	if wrong, ok := errors.AsType[*fs.PathError](err); ok && wrong.Path == path {
		err = wrong.Err // the message already names the path
	}
	return &failure.Failure{Exit: o.Exit, Code: o.Code, Message: lang.Msg("configuration file %s", path), Hint: o.Hint, Err: err}
}

// wrongValue returns the error for an invalid value of a flag or a variable.
func wrongValue(place string, why any) error {
	return failure.Usage("%s %s", place, why).WithHint("see `ativa help environment`")
}

func unknownKey(name string, known []string) *failure.Failure {
	return failure.Usage("unknown key %q", name).WithHint("%s", failure.DidYouMean(name, known))
}
