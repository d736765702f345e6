package cmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/credentials"
	"ativa/internal/lifecycle"
	"ativa/internal/render"
	"ativa/internal/settings"
	"ativa/internal/system"
)

const (
	// completionTimeout limits the wait for newer words, firstCompletionTimeout the wait when none
	// are cached.
	completionTimeout      = 300 * time.Millisecond
	firstCompletionTimeout = 1500 * time.Millisecond
	// completionMaxAge is the age at which cached words are refreshed.
	completionMaxAge = 10 * time.Minute
)

// vocabulary is the completion data of a server: nothing personal, nothing secret. It is cached in
// a file of mode 0600, one per server and context.
type vocabulary struct {
	At       time.Time `json:"at"`
	Products []word    `json:"products"`
	Statuses []word    `json:"statuses"`
	Speeds   []word    `json:"speeds"`
}

// word is a completion and the hint that a shell shows next to it.
type word struct {
	Word string `json:"word"`
	Hint string `json:"hint"`
}

// completeProducts completes one product of the server.
func completeProducts(e *cli.Env) cobra.CompletionFunc {
	return cli.Words(func() []string { return safeWords(readVocabulary(e).Products) })
}

// completeSpeeds completes one internet speed of the server.
func completeSpeeds(e *cli.Env) cobra.CompletionFunc {
	return cli.Words(func() []string { return safeWords(readVocabulary(e).Speeds) })
}

// statusWords returns the statuses of the server, each with its meaning.
func statusWords(e *cli.Env) []string {
	words := readVocabulary(e).Statuses
	for i, w := range words {
		words[i].Hint = e.Text(w.Hint)
	}
	return safeWords(words)
}

// completeStatuses completes a list of statuses of the server.
func completeStatuses(e *cli.Env) cobra.CompletionFunc {
	return cli.ListOf(func() []string { return statusWords(e) })
}

// safeWords drops words that need shell quoting or start with a dash: a server must not be able to
// inject a command into the command line.
func safeWords(words []word) []string {
	var out []string
	for _, w := range words {
		if w.Word != "" && system.ShellQuote(w.Word) == w.Word && !strings.HasPrefix(w.Word, "-") {
			out = append(out, w.Word+"\t"+render.Sanitise(w.Hint))
		}
	}
	return out
}

// readVocabulary returns the words of the chosen server from the cache, and refreshes them when
// they are old. On an error it returns the old words, or none.
func readVocabulary(e *cli.Env) vocabulary {
	chosen, err := e.ChosenContext()
	if err != nil {
		return vocabulary{}
	}
	path, err := vocabularyPath(e, chosen)
	if err != nil {
		return vocabulary{}
	}
	var v vocabulary
	if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &v) != nil {
		v = vocabulary{}
	}
	if age := time.Since(v.At); age >= 0 && age < completionMaxAge {
		return v
	}
	patience := completionTimeout
	if v.At.IsZero() {
		patience = firstCompletionTimeout
	}
	fresh, err := fetchVocabulary(e, chosen, patience)
	if err != nil {
		return v
	}
	if text, err := json.Marshal(fresh); err == nil {
		_ = system.WritePrivate(path, text) // the next completion asks again
	}
	return fresh
}

func vocabularyPath(e *cli.Env, c settings.Context) (string, error) {
	dir, err := e.CacheDir()
	sum := sha256.Sum256([]byte(c.Server + "\x00" + c.Name))
	return filepath.Join(dir, "completion", hex.EncodeToString(sum[:16])+".json"), err
}

// fetchVocabulary asks the server, with a cached bearer or an access token that needs no prompt,
// keyring or command.
func fetchVocabulary(e *cli.Env, c settings.Context, patience time.Duration) (vocabulary, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	source := e.BearerSource(c)
	bearer, ok := source.Cached(ctx)
	if !ok {
		var err error
		if source.Sources.Command != "" {
			return vocabulary{}, &credentials.Error{Reason: credentials.NotReached}
		}
		source.Sources.Stdin, source.Sources.Keyring = nil, nil
		if bearer, err = source.Bearer(ctx); err != nil {
			return vocabulary{}, err
		}
	}
	o := e.ClientOptions(c)
	o.Trace, o.Retry = nil, client.RetryPolicy{MaxAttempts: 1}
	o.Tokens = fixedBearer(bearer)
	server, err := client.New(o)
	if err != nil {
		return vocabulary{}, err
	}
	defer server.Close()
	var products []client.Item[api.Product]
	var statuses []client.Item[api.Status]
	var speeds []client.Item[api.InternetSpeed]
	all, ctx := errgroup.WithContext(ctx) // concurrently, so that a distant server answers in time
	all.Go(func() (err error) { products, err = server.Products(ctx); return err })
	all.Go(func() (err error) { statuses, err = server.Statuses(ctx); return err })
	all.Go(func() (err error) { speeds, err = server.InternetSpeeds(ctx); return err })
	if err := all.Wait(); err != nil {
		return vocabulary{}, err
	}
	return vocabulary{
		At:       time.Now().UTC(),
		Products: cli.Map(client.Values(products), func(p api.Product) word { return word{cmp.Or(p.Code, number(p.ID)), p.Name} }),
		Statuses: cli.Map(client.Values(statuses), func(s api.Status) word { return word{s.Name, lifecycle.Meaning(s.Name)} }),
		Speeds:   cli.Map(client.Values(speeds), func(s api.InternetSpeed) word { return word{number(s.ID), s.Speed} }),
	}, nil
}

// fixedBearer is a token source whose bearer is never renewed.
type fixedBearer api.Bearer

func (b fixedBearer) Bearer(context.Context) (api.Bearer, error) { return api.Bearer(b), nil }

func (b fixedBearer) Renew(context.Context, string) (api.Bearer, error) {
	return api.Bearer{}, &credentials.Error{Reason: credentials.NotFound}
}
