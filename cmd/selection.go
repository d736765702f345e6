package cmd

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/render"
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

// addProductFlag adds the flag that names a product.
func addProductFlag(e *cli.Env, c *cobra.Command, product *string, usage string) {
	c.Flags().StringVarP(product, "product", "p", "", usage)
	e.CompleteFlag(c, "product", completeProducts(e))
}

// addForRun adds the flags of a command that acts on the subscribers it selects.
func (o *selectOptions) addForRun(f *pflag.FlagSet) {
	o.add(f)
	f.StringVar(&o.maxChanges, "max-changes", "", "refuse a selection of more than N subscribers, or N% of all")
}

// isSet reports whether flags select the documents.
func (o selectOptions) isSet() bool { return len(o.statuses) > 0 || o.olderThan != "" }

// filters reports whether flags filter a list.
func (o selectOptions) filters() bool { return o.isSet() || o.product != "" }

// parseAge reads --older-than; 0 for any age.
func parseAge(olderThan string) (time.Duration, error) {
	if olderThan == "" {
		return 0, nil
	}
	age, err := cli.ParseSpan(olderThan)
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

// unlistedStatus is the id of a status selected by name only.
const unlistedStatus = -1

// findStatuses turns names or ids into statuses of the server, or of api.md. Another
// server's list may lack a status of its services: its name is accepted, unless it looks
// mistyped.
func findStatuses(ctx context.Context, e *cli.Env, c *client.Client, wanted []string) ([]api.Status, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	items, err := c.Statuses(ctx)
	if err != nil {
		return nil, err
	}
	complete, err := c.HasExtension(ctx, api.ExtIdempotency)
	if err != nil {
		return nil, err
	}
	known := client.Values(items)
	for _, s := range api.Statuses() {
		if !slices.ContainsFunc(known, func(k api.Status) bool { return k.ID == s.ID }) {
			known = append(known, s)
		}
	}
	return cli.ParseAll(wanted, func(w string) (api.Status, error) {
		i := slices.IndexFunc(known, func(s api.Status) bool { return isCalled(s, strings.TrimSpace(w)) })
		if i < 0 {
			names := cli.Map(known, func(s api.Status) string { return s.Name })
			if _, err := strconv.Atoi(w); err != nil && !complete && len(failure.Nearest(w, names)) == 0 {
				e.Notice("the server's list has no status %q; services whose status has that name are selected", w)
				return api.Status{ID: unlistedStatus, Name: strings.TrimSpace(w)}, nil
			}
			return api.Status{}, cli.Usage("there is no status %q", w).WithHint("the statuses are %s", strings.Join(names, ", "))
		}
		return known[i], nil
	})
}

// isCalled reports whether typed is the status's id or, in any case, its name or the word that
// people see for it in English or Portuguese.
func isCalled(s api.Status, typed string) bool {
	return number(s.ID) == typed || slices.ContainsFunc([]string{s.Name, lang.StatusWord(s.Name).Text(lang.English), lang.Portuguese.Status(s.Name)},
		func(name string) bool { return strings.EqualFold(name, typed) })
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
