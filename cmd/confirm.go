package cmd

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"ativa/internal/client"
	"ativa/internal/cpf"
	"ativa/internal/render"
)

func mask(doc string) string { return cpf.Document(doc).Mask() }

// change runs do like within, unless the context forbids changes; in a
// protected context it asks first.
func (e *env) change(ctx context.Context, do func(context.Context, *client.Client) error) error {
	return e.checking(ctx, func(ctx context.Context, c *client.Client) error {
		if err := e.enter(e.intent); err != nil {
			return err
		}
		return do(ctx, c)
	})
}

// checking runs do like change, and leaves it to do to enter the protected
// context, once it knows what is going to be changed.
func (e *env) checking(ctx context.Context, do func(context.Context, *client.Client) error) error {
	chosen, err := e.chosen()
	if err != nil {
		return err
	}
	if chosen.ReadOnly {
		return &failure{exit: exitRefused, code: "read_only", message: say("context %s is read-only; nothing was sent", chosen.Name),
			hint: say("choose another with --context, or `ativa config unset read_only --context %s`", chosen.Name)}
	}
	if e.guarded(chosen) && !e.interactive() {
		return usage("context %s is protected", chosen.Name).withHint("give --yes --context %s", chosen.Name)
	}
	return e.within(ctx, do)
}

// guarded tells that the name of a protected context has not been given yet.
func (e *env) guarded(c contextSettings) bool {
	return c.Protected && (!e.global.yes || e.global.context != c.Name)
}

// enter makes sure that a protected context is meant: it shows what will happen,
// and its name must be typed.
func (e *env) enter(what []phrase) error {
	c, err := e.chosen()
	if err != nil || !e.guarded(c) {
		return err
	}
	e.list(what)
	fmt.Fprint(e.err, render.Sanitize(e.text("Context %s is protected. Type its name to go on:", c.Name))+" ")
	answer, err := e.readLine()
	if err == nil && answer != c.Name {
		err = usage("not confirmed; nothing was sent")
	}
	return err
}

// list shows what will happen.
func (e *env) list(what []phrase) {
	for _, line := range what {
		if text := line.in(e.lang); text != "" {
			fmt.Fprintln(e.err, "  "+render.Sanitize(text))
		}
	}
}

// readLine reads an answer; an end of input is an empty one. The error is why
// nobody waits for it any more.
func (e *env) readLine() (string, error) {
	line, err := bufio.NewReader(e.in).ReadString('\n')
	return strings.TrimSpace(line), unread(err, nil)
}

// confirm shows what will happen and asks. Without a terminal the answer must
// have been given as --yes, else it is a usage error.
func (e *env) confirm(question phrase, what []phrase) error {
	if e.global.yes {
		return nil
	}
	if !e.interactive() {
		return usage("a confirmation is needed, and there is no terminal").withHint("give --yes")
	}
	e.list(what)
	fmt.Fprintf(e.err, "%s [%s] ", render.Sanitize(question.in(e.lang)), e.text("y/N"))
	answer, err := e.readLine()
	if err != nil {
		return err
	}
	switch strings.ToLower(answer) {
	case "y", "yes", "s", "sim":
		return nil
	}
	return usage("not confirmed; nothing was sent")
}

// approve confirms what is always asked for. Where a protected context is
// entered for it, its name is the yes.
func (e *env) approve(question phrase, what []phrase) error {
	c, err := e.chosen()
	if err != nil {
		return err
	}
	if e.guarded(c) {
		return e.enter(what)
	}
	return e.confirm(question, what)
}
