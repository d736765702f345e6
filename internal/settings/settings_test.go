package settings_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/pflag"

	"ativa/internal/cli"
	"ativa/internal/failure"
	"ativa/internal/settings"
	"ativa/internal/system"
	"ativa/internal/system/systemtest"
)

func options(path string) settings.Options {
	return settings.Options{Path: path, Keys: cli.Keys()}
}

func open(t *testing.T, text string) (*settings.File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return settings.Open(options(path))
}

// A key has the value and the name of its strongest source.
func TestTheStrongestSourceOfAKeyDecides(t *testing.T) {
	for name, texts := range map[string][3]string{ // of file, environment and flag
		"output": {"json", "csv", "tsv"}, "tz": {"UTC", "America/Manaus"}, "context": {"a", "b", "c"},
		"proxy": {"http://a:1", "https://b:2", "socks5://c:3"}, "storage": {"keyring"}, "token_file": {"/a", "/b", "/c"}, "headers": {"X-Tenant: abc"},
	} {
		k, err := settings.Named(cli.Keys(), name)
		must(t, err)
		for sources := range 8 { // bits: file, environment, flag
			path := filepath.Join(t.TempDir(), "config.yaml")
			file := "contexts:\n  - {name: b, server: x}\n  - {name: c, server: x}\n  - name: a\n"
			line := k.Name + ": " + texts[0] + "\n"
			if k.Map {
				line = k.Name + ": {" + texts[0] + "}\n"
			}
			if k.InContext {
				file, line = "context: a\n"+file, "    "+line
			}
			want := k.Default + " of default "
			if sources&1 != 0 {
				file += line
				want = texts[0] + " of file " + path
			}
			environment := map[string]string{}
			if sources&2 != 0 && len(k.Variables) > 0 {
				environment[k.Variables[0]] = texts[1]
				want = texts[1] + " of environment " + k.Variables[0]
			}
			flags := pflag.NewFlagSet("", pflag.ContinueOnError)
			flags.String(cmp.Or(k.Flag, "none"), "", "")
			if sources&4 != 0 && k.Flag != "" {
				must(t, flags.Set(k.Flag, texts[2]))
				want = texts[2] + " of flag --" + k.Flag
			}
			must(t, os.WriteFile(path, []byte(file), 0o600))
			f, err := settings.Open(options(path))
			must(t, err)
			all, _, err := f.Values(settings.Inputs{Flags: flags, Getenv: func(name string) string { return environment[name] }})
			v := all[name]
			if got := fmt.Sprint(v.Text, " of ", v.Source, " ", v.Place); err != nil || got != want {
				t.Errorf("%s from %03b: got %s, %v, want %s", name, sources, got, err, want)
			}
		}
	}
}

// A context that is chosen for another server guards it, and its spreadsheets are read as ever; how its
// own server is reached, and with what, does not apply.
func TestAContextDoesNotReachAnotherServer(t *testing.T) {
	f, err := open(t, "contexts:\n  - {name: a, server: https://a.example, token_command: x, token_file: /t, storage: file, ca_cert: /c, client_cert: /c,\n"+
		"     client_key: /k, proxy: http://p:1, insecure_http: true, read_only: true, protected: true, import_columns: name=A,\n"+
		"     import_values: 'status:A=active', resend_product: true, headers: {X-A: b}}\n")
	must(t, err)
	values, _, err := f.Values(settings.Inputs{Getenv: func(name string) string {
		return map[string]string{"ATIVA_CONTEXT": "a", "ATIVA_SERVER": "https://b.example"}[name]
	}})
	var kept []string
	for _, k := range cli.Keys() {
		if values[k.Name].Source == settings.FromFile {
			kept = append(kept, k.Name)
		}
	}
	if want := "read_only protected import_columns import_values"; err != nil || strings.Join(kept, " ") != want {
		t.Errorf("got %v, %v, want %s", kept, err, want)
	}
}

func TestEditsAtTheSameTimeLoseNothing(t *testing.T) {
	first, err := open(t, "contexts:\n  - name: \"007\"\n    server: https://a.example\n")
	must(t, err)
	var edits sync.WaitGroup
	for i := range 10 {
		edits.Go(func() {
			f, err := settings.Open(options(first.Path))
			if err == nil {
				err = f.Edit(func() error {
					return f.Put(settings.Context{Name: fmt.Sprint("c", i), Server: "https://b.example"}, false)
				})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	edits.Wait()
	must(t, first.Set("timeout", "", "9s"))
	if len(first.Contexts) != 11 || first.Contexts[0].Name != "007" {
		t.Errorf("got %v, want 11 contexts", first.Contexts)
	}
}

func TestAWrongLineIsNamed(t *testing.T) {
	wrong := map[string]string{
		"context: a\ntimeuot: 5s\n":               "line 2: unknown key \"timeuot\"",
		"\n\ntimeout: soon\n":                     "line 3: timeout is a time",
		"timeout: 1s\ntimeout: 2s\n":              "line 2: timeout is set a second time",
		"contexts: 5\n":                           "line 1: contexts must be a list",
		"contexts:\n  - server: x\n":              "line 2: a context has no name",
		"contexts:\n  - {name: a}\n  - {name: a}": "line 3: a second context",
		"output: [json]\n":                        "line 1: output must be a single value",
		"- a\n":                                   "line 1: the file must hold keys",
		"lang: pt\n---\nlang: en\n":               "line 2: a second YAML document begins here; the file must have only one",
		"--- # mine\nlang: pt\n--- # more\n":      "a second YAML document begins here",
	}
	for field, want := range map[string]string{
		"headers: abc": "a mapping of names to values", "headers: [a, b]": "a mapping of names to values", "headers: {X-A: {b: c}}": "a mapping of names to values",
		"headers: {Authorization: Bearer x}": "Authorization is set by ativa itself", "headers: {host: x}": "host is set by ativa itself",
		"headers: {idempotency-key: x}": "is set by ativa itself", "headers: {X A: b}": "is not the name of a header", "headers: {X-A: }": "X-A has no valid value",
		"headers: {X-A: \"a\\nb\"}": "header", "headers: {X-A: b, x-a: c}": "is there twice", "resend_product: maybe": "is one of true, false",
	} {
		wrong["contexts:\n  - name: a\n    server: https://a.example\n    "+field+"\n"] = want
	}
	for text, want := range wrong {
		_, err := open(t, text)
		wrong, ok := errors.AsType[*failure.Failure](err)
		if !ok || wrong.Code != "config" || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestAFileThatSomebodyElseChangesIsLocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "config.yaml")
		f, err := settings.Open(options(path))
		must(t, err)
		unlock, err := system.LockFile(t.Context(), path, time.Second)
		must(t, err)
		defer unlock()
		if e, ok := errors.AsType[*failure.Failure](f.Set("output", "", "json")); !ok || e.Code != "locked" {
			t.Errorf("got %v, want that it is locked", e)
		}
	})
}

func TestSecretsAreNotShown(t *testing.T) {
	for value, want := range map[string]string{
		"postgres://a:s3cr3t@h/db":          "postgres://a:xxxxx@h/db",
		"postgres://h/db?password=s3cr3t":   "postgres://h/db?password=xxxxx",
		"postgres://a:s3%ZZcr3t@h/db":       "***",
		"postgres:a:s3cr3t@h/db":            "***",
		"host=h password=s3cr3t dbname=db":  "host=h password=xxxxx dbname=db",
		`password = 's3\'cr3t x' host=h`:    "password=xxxxx host=h",
		"host=h sslpassword='s3cr3t never":  "host=h sslpassword=xxxxx",
		"host=/tmp password=s3cr://et x=y":  "host=/tmp password=xxxxx x=y",
		"connect_timeout=5 password=s3cr3t": "connect_timeout=5 password=xxxxx",
		"sqlite:host=h password=s3cr3t":     "sqlite:host=h password=xxxxx",
		"sqlite:postgres://a:s3cr3t@h/db":   "***",
		"ativacao@example.com":              "ativacao@example.com",
		"sqlite:/var/lib/ativa/ativa.db":    "sqlite:/var/lib/ativa/ativa.db",
		"https://ativa.example.com/a?b=c&d": "https://ativa.example.com/a?b=c&d",
	} {
		if got := (settings.Key{}).Shown(value); got != want {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
	}
	if got := (settings.Key{Secret: true}).Shown("s3cr3t"); got != "***" {
		t.Errorf("got %s", got)
	}
}

var must = systemtest.Must
