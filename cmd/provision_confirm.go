package cmd

import (
	"cmp"
	"context"
	"strings"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/run"
	"ativa/internal/support"
)

// shownBefore is the number of subscribers listed before a confirmation.
const shownBefore = 10

// findMeant finds and prints the product of an action on one subscriber if none is given. No or
// several candidates are a usage error.
func (r *provisionRun) findMeant(ctx context.Context) error {
	o, err := readOverview(ctx, r.Env, r.client, r.only.document)
	if err != nil {
		return err
	}
	flag, who := "--product", cli.MaskDocument(r.only.document)
	if r.operation == api.Change {
		flag = "--from"
		if err := o.CheckChanges(ctx, r.client); err != nil {
			return err
		}
	}
	meant := o.Meant(r.operation, r.to.ID)
	names := cli.Map(meant, func(p api.Product) string { return cmp.Or(p.Code, number(p.ID)) })
	switch len(meant) {
	case 0:
		return cli.Usage("%s is needed: %s has no live service", flag, who).WithHint("see `ativa products`")
	case 1:
		r.product = meant[0]
		r.Notice("%s (%s) is meant", meant[0].Name, names[0])
		return nil
	}
	return cli.Usage("%s is needed: %s has %d services", flag, who, len(meant)).WithHint("one of %s", strings.Join(names, ", "))
}

// confirmRisky asks before services are cancelled, and before changes in a protected context. It first
// lists the actions, and reports whether it has asked.
func (r *provisionRun) confirmRisky(ctx context.Context) (asked bool, err error) {
	protected, err := r.AsksToConfirm(false)
	cancels := r.operation == api.Deactivate
	if err != nil || r.dryRun || !protected && !cancels {
		return false, err
	}
	if asks, err := r.AsksToConfirm(true); err != nil || !asks {
		return true, err
	}
	what, title, err := r.preview(ctx)
	if err != nil {
		return true, err
	}
	selected := 0
	if cancels && r.total > cli.MostCancellations {
		var cancelable int
		if selected, cancelable, err = r.countCancellations(ctx); err != nil {
			return true, err
		}
		title = cancelTitle(selected, cancelable, r.product)
	}
	return true, r.Confirm(cli.Confirmation{Title: title, What: what, Always: true, Cancellations: selected, Untyped: cli.MostCancellations})
}

// preview lists the first subscribers with the status of their service, and returns a title for
// the action.
func (r *provisionRun) preview(ctx context.Context) (what []cli.Message, title cli.Message, err error) {
	var step support.Step
	for row, err := range r.source.rows(ctx) {
		if err != nil {
			return nil, title, err
		}
		if !row.OK() {
			continue
		}
		if len(what) == shownBefore {
			break
		}
		s, err := r.client.Subscriber(ctx, row.Document)
		if err != nil && client.KindOf(err) != client.KindNotFound {
			return nil, title, err
		}
		step.Name, step.Document = s.Value.Name, row.Document
		what = append(what, describeService(s.Value, r.product.ID, row.Document))
	}
	return andMore(what, r.total), r.titleOf(step, r.total), nil
}

// andMore adds the number of lines that are not shown of the total.
func andMore(shown []cli.Message, total int) []cli.Message {
	if more := total - len(shown); more > 0 {
		return append(shown, cli.Msg("and %d more", more))
	}
	return shown
}

// titleOf describes the action on n subscribers, by name if there is one.
func (r *provisionRun) titleOf(s support.Step, n int) cli.Message {
	s.Operation, s.Product, s.To, s.At, s.Until = r.operation, r.product, r.to, r.at, r.until
	if n == 1 {
		return s.Title()
	}
	return s.TitleOf(n)
}

// cancelTitle names the numbers of cancelled and cancelable services.
func cancelTitle(selected, cancelable int, p api.Product) cli.Message {
	return cli.Msg("Cancel %s of %s services of %s for good", lang.Count(selected), lang.Count(cancelable), p.Name)
}

// describeService describes a subscriber and its service in one line.
func describeService(s api.Subscriber, product api.Int, document string) cli.Message {
	who := cli.Msg("%s (%s)", s.Name, cli.MaskDocument(document))
	if s.Document == "" {
		return cli.Msg("%s: no such subscriber", cli.MaskDocument(document))
	}
	if product == 0 {
		return who
	}
	service, has := api.NewestService(s.Services, product)
	if !has {
		return cli.Msg("%s: does not have the product", who)
	}
	return cli.Msg("%s: %s", who, lang.StatusName(service.Status))
}

// countCancellations returns the numbers of the product's services that will and can be
// cancelled.
func (r *provisionRun) countCancellations(ctx context.Context) (selected, cancelable int, err error) {
	var documents run.DocumentSet
	for row, err := range r.source.rows(ctx) {
		if err != nil {
			return 0, 0, err
		}
		documents.Add(row.Document)
	}
	documents.Sort()
	return support.CountCancelable(ctx, r.client, r.product.ID, documents.Has)
}
