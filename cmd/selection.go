package cmd

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/render"
	"ativa/internal/settings"
	"ativa/internal/support"
)

// selectOptions holds the flags that select subscribers by the state of their services (cli.md,
// Selecting).
type selectOptions struct {
	statuses  []string
	olderThan string
	product   string
	// maxChanges limits the selection of a run: to N subscribers, or N% of them.
	maxChanges string
}

func (o *selectOptions) add(f *pflag.FlagSet) {
	cli.AddListFlag(f, &o.statuses, "status", "only with a service in one of these statuses")
	f.StringVar(&o.olderThan, "older-than", "", "only with a service whose status has not changed for at least this long: 12h, 3d")
}

// addForRun adds the flags of a command that acts on the subscribers it selects.
func (o *selectOptions) addForRun(f *pflag.FlagSet) {
	o.add(f)
	f.StringVar(&o.maxChanges, "max-changes", "", "refuse a selection of more than N subscribers, or N% of all")
}

// isSet reports whether flags select the documents.
func (o selectOptions) isSet() bool { return len(o.statuses) > 0 || o.olderThan != "" }

// limit parses --max-changes, which needs a selection.
func (o selectOptions) limit() (cli.Limit, error) {
	limit, err := cli.ParseLimit("--max-changes", o.maxChanges)
	if err == nil && limit.Given && !o.isSet() {
		err = cli.Usage("--max-changes is for a selection").WithHint("select with --status or --older-than")
	}
	return limit, err
}

// filters reports whether flags filter a list.
func (o selectOptions) filters() bool { return o.isSet() || o.product != "" }

// parseAge reads --older-than; 0 for any age.
func parseAge(olderThan string) (time.Duration, error) {
	if olderThan == "" {
		return 0, nil
	}
	age, err := settings.ParseSpan(olderThan)
	if err != nil || age <= 0 {
		return 0, cli.Usage("--older-than %q is not a time", olderThan).WithHint("a time such as 12h or 3d")
	}
	return age, nil
}

// selection looks up the statuses and the product; without a product its id is 0.
func (o selectOptions) selection(ctx context.Context, e *cli.Env, c *client.Client) (s support.Selection, err error) {
	age, err := parseAge(o.olderThan)
	if err != nil {
		return s, err
	}
	if age > 0 {
		s.Before = e.Now().Add(-age)
	}
	if o.product != "" {
		product, err := findProduct(ctx, c, o.product)
		if err != nil {
			return s, err
		}
		s.Product = product.ID
	}
	s.Statuses, err = findStatuses(ctx, e, c, o.statuses)
	return s, err
}

// selectionError explains a failure because the server reports no status times.
func selectionError(err error) error {
	if errors.Is(err, support.ErrNoStatusTime) {
		return notSupported(
			cli.Msg("this server does not report when each service got its status; nothing was sent"),
			cli.Msg("select by --status and --product alone"))
	}
	return err
}

// subscribersCommand adds the flags that select subscribers to a command that prints them.
func subscribersCommand(e *cli.Env, schema func() render.Schema[subscriberItem], c *cobra.Command, run func(ctx context.Context, args []string, o selectOptions) error) *cobra.Command {
	var o selectOptions
	o.add(c.Flags())
	e.CompleteFlag(c, "status", completeStatuses(e))
	addProductFlag(e, c, &o.product, "only with a service of this product: id, code or name")
	c.RunE = func(c *cobra.Command, args []string) error {
		if _, err := parseAge(o.olderThan); err != nil {
			return err
		}
		return run(c.Context(), args, o)
	}
	return cli.WithColumns(e, schema, cli.AddLimit(e, c))
}

// selected returns the subscribers that the flags select, or all of them without flags.
func (o selectOptions) selected(ctx context.Context, e *cli.Env, c *client.Client, all iter.Seq2[subscriberItem, error]) (iter.Seq2[subscriberItem, error], error) {
	if !o.filters() {
		return all, nil
	}
	s, err := o.selection(ctx, e, c)
	if err != nil {
		return nil, err
	}
	return func(yield func(subscriberItem, error) bool) {
		seen := servicesSeen{}
		for item, err := range s.Filter(seen.watch(all)) {
			if !yield(item, selectionError(err)) {
				return
			}
		}
		seen.notice(e)
	}, nil
}

// printSelected prints all subscribers that the flags select.
func printSelected(ctx context.Context, e *cli.Env, p *render.Printer[subscriberItem], o selectOptions) error {
	return e.WithClient(ctx, func(ctx context.Context, c *client.Client) error {
		all, err := o.selected(ctx, e, c, c.Subscribers(ctx))
		if err != nil {
			return err
		}
		return p.List(ctx, all)
	})
}

// servicesSeen detects a list without any services. A server may omit the services of a
// subscriber without any (api.md); if it omits them all, it does not report them.
type servicesSeen struct{ subscribers, withServices int }

func (s *servicesSeen) watch(all iter.Seq2[subscriberItem, error]) iter.Seq2[subscriberItem, error] {
	return func(yield func(subscriberItem, error) bool) {
		for item, err := range all {
			s.subscribers++
			if item.Value.Services != nil {
				s.withServices++
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

func (s *servicesSeen) notice(e *cli.Env) {
	if s.subscribers > 0 && s.withServices == 0 {
		e.Notice("the server's list has no services, so nobody can be selected by them")
	}
}
