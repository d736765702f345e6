package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/support"
	"ativa/internal/system"
)

// contextSubscriber is a subscriber with its context.
type contextSubscriber struct {
	context string
	subscriberItem
}

func contextSubscribers() render.Schema[contextSubscriber] {
	of := subscribers()
	s := render.Schema[contextSubscriber]{Many: of.Many, JSON: func(r contextSubscriber) json.RawMessage {
		return cli.ToJSON(map[string]any{"context": r.context, of.One: r.Raw})
	}}
	s.Columns = render.ColumnsOf(of.Columns, func(r contextSubscriber) subscriberItem { return r.subscriberItem })
	s.Columns = slices.Insert(s.Columns, 1, render.Column[contextSubscriber]{Name: "context", Priority: 1, Value: func(r contextSubscriber) string { return r.context }})
	return s
}

type contextAnswers []cli.ContextAnswer[subscriberItem]

// document returns the JSON of all answers with the first most of their subscribers.
func (a contextAnswers) document(most int) json.RawMessage {
	type answer struct {
		Context     string             `json:"context"`
		Subscribers *[]json.RawMessage `json:"subscribers,omitempty"`
		Error       json.RawMessage    `json:"error,omitempty"`
	}
	return cli.ToJSON(map[string][]answer{"contexts": cli.Map(a, func(one cli.ContextAnswer[subscriberItem]) answer {
		if one.Err != nil {
			var b bytes.Buffer
			cli.Report(&b, lang.English, render.FormatJSON, one.Err)
			return answer{Context: one.Context, Error: bytes.TrimSpace(b.Bytes())}
		}
		rows := one.Rows[:min(most, len(one.Rows))]
		most -= len(rows)
		all := cli.Map(rows, cli.RawJSON[api.Subscriber])
		return answer{Context: one.Context, Subscribers: &all}
	})})
}

func (a contextAnswers) rows() []contextSubscriber {
	var all []contextSubscriber
	for _, one := range a {
		for _, s := range one.Rows {
			all = append(all, contextSubscriber{one.Context, s})
		}
	}
	return all
}

// exit returns the error for contexts that did not answer, which were already named.
func (a contextAnswers) exit() error {
	failed := 0
	for _, one := range a {
		if one.Err != nil {
			failed++
		}
	}
	switch {
	case failed == 0:
		return nil
	case failed < len(a):
		return &cli.SilentExit{Code: cli.ExitPartial}
	}
	first := exitOf(a[0].Err)
	refused := slices.Contains([]int{cli.ExitUsage, cli.ExitNotFound, cli.ExitRefused}, first)
	if refused && !slices.ContainsFunc(a, func(one cli.ContextAnswer[subscriberItem]) bool { return exitOf(one.Err) != first }) {
		return a[0].Err // they answered: what was typed is wrong
	}
	return &cli.Failure{Exit: cli.ExitUnavailable, Code: "unavailable", Message: cli.Msg("no context answered"), Hint: cli.Msg("`ativa doctor --context NAME` looks for the cause")}
}

// suggestFound suggests the next command if exactly one subscriber was found.
func suggestFound(e *cli.Env, a *subscriberArg, o selectOptions, rows []contextSubscriber) {
	if len(rows) == 1 {
		suggestExplain(e, a.term, o, rows[0].Value.Document, "--context", system.ShellQuote(rows[0].context))
	}
}

// searchContexts is `ativa subscribers search` with --context all.
func searchContexts(ctx context.Context, e *cli.Env, term string, o selectOptions, none string) error {
	s := contextSubscribers()
	s.Order = "name"
	p, err := cli.NewPrinter(e, s)
	if err != nil {
		return err
	}
	defer e.NoticeMasked(p.Masked)
	a := &subscriberArg{term: term}
	var answers contextAnswers
	answers, err = cli.AskContexts(ctx, e, func(ctx context.Context, c *client.Client) ([]subscriberItem, error) {
		return readSubscribersOf(ctx, e, c, a, o)
	})
	if err != nil {
		return err
	}
	rows := answers.rows()
	printed := p.Results(ctx, answers.document(len(p.First(rows))), rows)
	suggestFound(e, a, o, rows)
	exit := answers.exit()
	if len(rows) == 0 && exit == nil {
		e.Notice(none)
	}
	return errors.Join(exit, printed)
}

// getFromContexts is `ativa subscribers get` with --context all.
func getFromContexts(ctx context.Context, e *cli.Env, which string) error {
	p, err := cli.NewPrinter(e, contextSubscribers())
	if err != nil {
		return err
	}
	a, err := parseSubscriberArg(e, which)
	if err != nil {
		return err
	}
	var answers contextAnswers
	answers, err = cli.AskContexts(ctx, e, func(ctx context.Context, c *client.Client) ([]subscriberItem, error) {
		found, err := readSubscribersOf(ctx, e, c, a, selectOptions{})
		for i := range found {
			if err == nil {
				_, err = addScheduled(ctx, c, &found[i])
			}
		}
		return found, err
	})
	if err != nil {
		return err
	}
	rows := answers.rows()
	if people := distinct(rows); len(people) > 1 {
		return ambiguous(e, a.term, people, 10)
	}
	printed := p.Cards(ctx, answers.document(len(rows)), rows)
	suggestFound(e, a, selectOptions{}, rows)
	exit := answers.exit()
	if len(rows) == 0 && exit == nil {
		exit = cli.NotFound("no context has this subscriber").WithHint("`ativa subscribers search TERM --context all` looks in names, e-mails, documents and telephones")
	}
	return errors.Join(exit, printed)
}

// readSubscribersOf reads the subscribers that match an argument and the flags, possibly none.
func readSubscribersOf(ctx context.Context, e *cli.Env, c *client.Client, a *subscriberArg, o selectOptions) ([]subscriberItem, error) {
	if a.term != "" {
		found, err := o.selected(ctx, e, c, support.Search(ctx, c, a.term))
		if err != nil {
			return nil, err
		}
		return client.Collect(found)
	}
	s, err := c.Subscriber(ctx, a.document)
	switch {
	case client.KindOf(err) == client.KindNotFound:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return []subscriberItem{s}, nil
}

// distinct returns the subscribers of the rows, one for each document.
func distinct(rows []contextSubscriber) []api.Subscriber {
	var all []api.Subscriber
	known := map[string]bool{}
	for _, r := range rows {
		document := r.Value.Document
		if digits, err := cli.ParseDocument(document); err == nil { // some servers add punctuation
			document = digits
		}
		if !known[document] {
			known[document] = true
			all = append(all, r.Value)
		}
	}
	return all
}
