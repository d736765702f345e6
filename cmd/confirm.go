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
	chosen, err := e.chosen()
	if err != nil {
		return err
	}
	if chosen.ReadOnly {
		return &failure{exit: exitRefused, code: "read_only", message: say("context %s is read-only; nothing was sent", chosen.Name),
			hint: say("choose another with --context, or `ativa config unset read_only --context %s`", chosen.Name)}
	}
	if err := e.enter(chosen); err != nil {
		return err
	}
	return e.within(ctx, do)
}

// enter makes sure that a protected context is meant.
func (e *env) enter(c contextSettings) error {
	switch {
	case !c.Protected, e.global.yes && e.global.context == c.Name:
		return nil
	case !e.interactive():
		return usage("context %s is protected", c.Name).withHint("give --yes --context %s", c.Name)
	}
	e.list(e.intent)
	fmt.Fprint(e.err, render.Safe(e.text("Context %s is protected. Type its name to go on:", c.Name))+" ")
	if answer := e.readLine(); answer != c.Name {
		return usage("not confirmed; nothing was sent")
	}
	return nil
}

// list shows what will happen.
func (e *env) list(what []string) {
	for _, line := range what {
		if line != "" {
			fmt.Fprintln(e.err, "  "+render.Safe(line))
		}
	}
}

func (e *env) readLine() string {
	line, _ := bufio.NewReader(e.in).ReadString('\n') // an end of input is a no
	return strings.TrimSpace(line)
}

// confirm shows what will happen and asks. Without a terminal the answer must
// have been given as --yes, else it is a usage error.
func (e *env) confirm(question phrase, what []string) error {
	if e.global.yes {
		return nil
	}
	if !e.interactive() {
		return usage("a confirmation is needed, and there is no terminal").withHint("give --yes")
	}
	e.list(what)
	fmt.Fprintf(e.err, "%s [%s] ", render.Safe(question.in(e.lang)), e.text("y/N"))
	switch strings.ToLower(e.readLine()) {
	case "y", "yes", "s", "sim":
		return nil
	}
	return usage("not confirmed; nothing was sent")
}
