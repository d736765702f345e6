package cmd

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/credentials"
	"ativa/internal/lifecycle"
	"ativa/internal/render"
	"ativa/internal/system"
)

// completionTimeout limits the wait of a shell for a server.
const completionTimeout = time.Second

// word is a completion and its hint.
type word struct{ word, hint string }

// completeProducts completes one product of the server.
func completeProducts(e *cli.Env) cobra.CompletionFunc {
	return cli.Words(func() []string {
		return serverWords(e, (*client.Client).Products, func(p api.Product) word { return word{cmp.Or(p.Code, number(p.ID)), p.Name} })
	})
}

// completeSpeeds completes one internet speed of the server.
func completeSpeeds(e *cli.Env) cobra.CompletionFunc {
	return cli.Words(func() []string {
		return serverWords(e, (*client.Client).InternetSpeeds, func(s api.InternetSpeed) word { return word{number(s.ID), s.Speed} })
	})
}

// completeStatuses completes a list of statuses of the server, each with its meaning.
func completeStatuses(e *cli.Env) cobra.CompletionFunc {
	return cli.ListOf(func() []string {
		return serverWords(e, (*client.Client).Statuses, func(s api.Status) word { return word{s.Name, e.Text(lifecycle.Meaning(s.Name))} })
	})
}

// serverWords returns the words of a list of the chosen server, none after the time limit. It
// drops words that need shell quoting or start with a dash: a server must not be able to
// inject a command into the command line.
func serverWords[T any](e *cli.Env, list func(*client.Client, context.Context) ([]client.Item[T], error), wordOf func(T) word) (words []string) {
	ctx, cancel := context.WithTimeout(context.Background(), completionTimeout)
	defer cancel()
	server, err := completionClient(ctx, e)
	if err != nil {
		return nil
	}
	defer server.Close()
	all, _ := list(server, ctx) // no errors in a shell
	for _, item := range all {
		if w := wordOf(item.Value); w.word != "" && system.ShellQuote(w.word) == w.word && !strings.HasPrefix(w.word, "-") {
			words = append(words, w.word+"\t"+render.Sanitise(w.hint))
		}
	}
	return words
}

// completionClient returns a client of the chosen context with a cached bearer, or one for an
// access token that needs no prompt, keyring or command. The caller closes it.
func completionClient(ctx context.Context, e *cli.Env) (*client.Client, error) {
	chosen, err := e.ChosenContext()
	if err != nil {
		return nil, err
	}
	source := e.BearerSource(chosen)
	if cached, ok := source.Cached(ctx); ok {
		source = cached
	} else if source.Sources.Command != "" {
		return nil, &credentials.Error{Reason: credentials.NotReached}
	}
	source.Sources.Stdin, source.Sources.Keyring = nil, nil
	o := e.ClientOptions(chosen)
	o.Trace, o.Retry = nil, client.RetryPolicy{MaxAttempts: 1}
	return cli.NewClient(ctx, o, source)
}
