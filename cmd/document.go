package cmd

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/render"
	"ativa/internal/sheet"
	"ativa/internal/support"
	"ativa/internal/system"
)

// subscriberArg is the DOC argument (cli.md): a CPF or, at a terminal, a term that must match
// exactly one subscriber.
type subscriberArg struct {
	document string
	term     string // empty for a CPF
	name     string // empty until the subscriber is read
}

// parseSubscriberArg checks DOC before anything is sent.
func parseSubscriberArg(e *cli.Env, given string) (*subscriberArg, error) {
	document, err := sheet.Document(given)
	why := e.TermsRefused()
	switch {
	case err == nil && (!why.IsEmpty() || !support.IsPhone(given)):
		return &subscriberArg{document: string(document)}, nil
	case strings.TrimSpace(given) == "":
		return nil, cli.Usage("document %q: %s", given, err)
	case !why.IsEmpty():
		wrong := cli.Usage("document %q: %s", given, err)
		return nil, wrong.WithHint("a name, e-mail or telephone in its place is taken at a terminal only, and %s; look for it with: ativa subscribers search %s", why, system.ShellQuote(given))
	}
	return &subscriberArg{term: given}, nil
}

// find resolves a term to the document of the only matching subscriber, and shows the name. It
// does nothing for a CPF.
func (a *subscriberArg) find(ctx context.Context, e *cli.Env, c *client.Client) error {
	if a.term == "" {
		return nil
	}
	const shown = 10
	found, err := support.Find(ctx, c, a.term, shown+1)
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		if wrong := support.WrongDocument(a.term); wrong != nil {
			return cli.NotFound("no subscriber matches %q: %s", a.term, wrong).WithHint("compare it with the subscriber's papers")
		}
		return cli.NotFound("no subscriber matches %q", a.term).WithHint("`ativa subscribers search TERM` looks in names, e-mails, documents and telephones")
	case len(found) > 1:
		return ambiguous(e, a.term, found, shown)
	}
	a.name = found[0].Name
	if a.document, err = cli.ParseDocument(found[0].Document); err != nil {
		return err
	}
	e.SetTerm(a.document, a.term)
	if typed, err := cli.ParseDocument(a.term); err != nil || typed != a.document {
		_ = render.WriteMessage(e.Err, e.Text("%s (%s)", a.name, cli.MaskDocument(a.document))) // best effort
	}
	return nil
}

// ambiguous lists the subscribers that a term matches, with distinguishing data, and returns the
// error.
func ambiguous(e *cli.Env, term string, found []api.Subscriber, shown int) error {
	for _, s := range support.ByName(found[:min(len(found), shown)]) {
		_ = render.WriteMessage(e.Err, fmt.Sprintf("  %s  %s  %s  %s  %s", s.Name, e.MaskUnlessShown(s.Document), s.Phone, s.Email, services(e.Lang, s.Services))) // best effort
	}
	message := cli.Msg("%d subscribers match %q; nothing was done", len(found), term)
	if len(found) > shown {
		message = cli.Msg("more than %d subscribers match %q; nothing was done", shown, term)
	}
	return &cli.Failure{Exit: cli.ExitUsage, Code: "ambiguous", Message: message, Hint: cli.Msg("give what only one of them has: the CPF, the e-mail, the telephone or more of the name")}
}

// who returns the subscriber for a prompt. It reads an unknown name.
func (a *subscriberArg) who(ctx context.Context, c *client.Client) (string, error) {
	if a.name == "" {
		s, err := c.Subscriber(ctx, a.document)
		if err != nil {
			return "", err
		}
		a.name = s.Value.Name
	}
	return fmt.Sprintf("%s (%s)", cmp.Or(a.name, "?"), cli.MaskDocument(a.document)), nil
}

// connect is [cli.Env.WithClient] or, for changes, [cli.Env.WithWritableClient].
type connect func(context.Context, func(context.Context, *client.Client) error) error

// withSubscriber resolves the DOC argument and calls do with the subscriber and a client of with.
func withSubscriber(ctx context.Context, e *cli.Env, with connect, given string, do func(ctx context.Context, c *client.Client, a *subscriberArg) error) error {
	a, err := parseSubscriberArg(e, given)
	if err != nil {
		return err
	}
	return with(ctx, func(ctx context.Context, c *client.Client) error {
		if err := a.find(ctx, e, c); err != nil {
			return err
		}
		return e.AboutSubscriber(do(ctx, c, a), a.document)
	})
}

// productNames maps product ids to names for tables; machine formats show ids only.
type productNames map[api.Int]string

// cell returns the product as a table shows it: its name, else its id; empty for 0.
func (n productNames) cell(id api.Int) string {
	return cmp.Or(n[id], numberOrEmpty(id))
}

// read reads the names for a table.
func (n productNames) read(ctx context.Context, c *client.Client, format string) error {
	if format != render.FormatTable {
		return nil
	}
	all, err := c.Products(ctx)
	for _, p := range all {
		n[p.Value.ID] = p.Value.Name
	}
	return err
}

// printListOf resolves the DOC argument and prints the result of read.
func printListOf[T any](ctx context.Context, e *cli.Env, p *render.Printer[client.Item[T]], names productNames, given string, read func(ctx context.Context, c *client.Client, document string) ([]client.Item[T], error)) error {
	return withSubscriber(ctx, e, e.WithClient, given, func(ctx context.Context, c *client.Client, a *subscriberArg) error {
		all, err := read(ctx, c, a.document)
		if err != nil {
			return err
		}
		if err := names.read(ctx, c, p.Format()); err != nil {
			return err
		}
		return p.Results(ctx, nil, all)
	})
}
