package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ativa/internal/client"
	"ativa/internal/credentials"
	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/settings"
)

// ContextAnswer is the answer of one context's server.
type ContextAnswer[T any] struct {
	Context string
	Rows    []T   // nil if the server failed
	Err     error // not nil if the server failed
}

// AskContexts asks the servers of all contexts at once, each with its stored credential, and
// reports failures on standard error. --timeout limits each. The answers are in the order of the
// configuration file. It returns an error only for the flags, the configuration file or an
// interruption.
func AskContexts[T any](ctx context.Context, e *Env, ask func(context.Context, *client.Client) ([]T, error)) ([]ContextAnswer[T], error) {
	contexts, err := e.everyContext()
	if err != nil {
		return nil, err
	}
	answers := make([]ContextAnswer[T], len(contexts))
	var stderr sync.Mutex
	var asked sync.WaitGroup
	for i, c := range contexts {
		own := *e
		own.Err = &contextLines{mu: &stderr, out: e.Err, name: c.Name}
		asked.Go(func() {
			answers[i].Context = c.Name
			answers[i].Rows, answers[i].Err = askContext(ctx, &own, c, ask)
			if answers[i].Err != nil {
				answers[i].Rows = nil
			}
		})
	}
	asked.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for _, a := range answers {
		if a.Err != nil {
			_ = render.WriteMessage(e.Err, e.Text("no answer from %s: %s", a.Context, failure.Text(e.Lang, a.Err))) // best effort
		}
	}
	return answers, nil
}

func askContext[T any](ctx context.Context, e *Env, c settings.Context, ask func(context.Context, *client.Client) ([]T, error)) ([]T, error) {
	if e.Global.Timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, e.Global.Timeout)
		defer cancel()
		ctx = limited
	}
	server, err := NewClient(ctx, e.ClientOptions(c), e.BearerSource(c))
	if err != nil {
		return nil, err
	}
	defer server.Close()
	return ask(ctx, server)
}

// everyContext returns the contexts of the configuration file. It refuses a token or a server
// given for all of them: a credential is for one server.
func (e *Env) everyContext() ([]settings.Context, error) {
	switch {
	case e.Global.TokenStdin:
		return nil, Usage("--context all takes the token of each context, not one from standard input").WithHint("leave out --token-stdin; log in to each context once: ativa login --context NAME")
	case e.tokenVariable() != "":
		return nil, Usage("--context all takes the token of each context, not one from %s", e.tokenVariable()).WithHint("unset it; log in to each context once: ativa login --context NAME")
	}
	f, err := e.LoadSettings()
	if err != nil {
		return nil, err
	}
	var all []settings.Context
	for _, known := range f.Contexts {
		values, c, err := f.ValuesIn(e.Inputs(), known.Name)
		if err != nil {
			return nil, err
		}
		if v := values["token_file"]; v.Source.Before(settings.FromFile) {
			return nil, Usage("--context all takes the token of each context, not one from %s", v.Place).WithHint("leave it out, or name one context")
		}
		if v := values["server"]; v.Source.Before(settings.FromFile) {
			return nil, Usage("--context all asks the server of each context, not one from %s", v.Place).WithHint("leave it out, or name one context")
		}
		if c, err = withServer(c, nil); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, Usage("there is no context").WithHint("add one: ativa context add NAME --server URL")
	}
	return all, nil
}

// tokenVariable returns the variable by which the user or a service manager provides an access token,
// which would go to all contexts. It is empty if there is none.
func (e *Env) tokenVariable() string {
	if e.Getenv(credentials.TokenVariable) != "" {
		return credentials.TokenVariable
	}
	if dir := e.Getenv(credentials.DirectoryVariable); dir != "" {
		if _, err := os.Stat(filepath.Join(dir, credentials.DirectoryFile)); !errors.Is(err, fs.ErrNotExist) {
			return credentials.DirectoryVariable
		}
	}
	return ""
}

// contextLines prefixes each line with the name of its context. Those that share mu may be used
// concurrently.
type contextLines struct {
	mu   *sync.Mutex // shared by all that write to out
	out  io.Writer
	name string
}

func (c *contextLines) Write(p []byte) (int, error) {
	var b strings.Builder
	for line := range strings.Lines(string(p)) {
		b.WriteString(render.Sanitise(c.name) + ": " + strings.TrimSuffix(line, "\n") + "\n")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := io.WriteString(c.out, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// ContextName returns the name of a context as an argument of a message, (none) if only a server
// was given.
func ContextName(c settings.Context) any {
	if c.Name == "" {
		return lang.Term("(none)")
	}
	return c.Name
}
