package settings_test

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ativa/internal/failure"
	"ativa/internal/settings"
)

const twoContexts = "context: a\ncontexts:\n  - name: a\n    server: https://a.example\n    storage: keyring\n  - name: b\n    server: https://b.example\n"

// edited returns the text of a file after an edit, and the edit's error.
func edited(t *testing.T, text string, edit func(*settings.File) error) (string, error) {
	t.Helper()
	f, err := open(t, text)
	must(t, err)
	result := edit(f)
	after, err := os.ReadFile(f.Path)
	must(t, err)
	return string(after), result
}

// An edit changes its key or context and nothing else, comments included; a refused one changes
// nothing.
func TestAnEditKeepsTheRestOfTheFile(t *testing.T) {
	const (
		a, b  = "  - name: a\n    server: https://a.example\n    storage: keyring\n", "  - name: b\n    server: https://b.example\n"
		lines = "# mine\n# more\ncontext: a # default\n# all\ncontexts:\n  # first\n  - name: a\n    server: https://a.example # there\n"
	)
	set := func(key, in, value string) func(*settings.File) error {
		return func(f *settings.File) error { return f.Set(key, in, value) }
	}
	remove := func(name string) func(*settings.File) error {
		return func(f *settings.File) error { return f.Remove(name) }
	}
	put := func(c settings.Context, use bool) func(*settings.File) error {
		return func(f *settings.File) error { return f.Edit(func() error { return f.Put(c, use) }) }
	}
	for _, c := range []struct {
		name, before string
		edit         func(*settings.File) error
		after        string // empty for a refusal
	}{
		{"another context", twoContexts, set("context", "", "b"), "context: b\ncontexts:\n" + a + b},
		{"a context that is absent", twoContexts, set("context", "", "absent"), ""},
		{"a key of a context that is absent", twoContexts, set("server", "absent", "https://x.example"), ""},
		{"a key taken out", twoContexts, set("storage", "a", ""), strings.Replace(twoContexts, "    storage: keyring\n", "", 1)},
		{"a context in place of its name", twoContexts, put(settings.Context{Name: "a", Server: "https://new.example"}, false),
			"context: a\ncontexts:\n  - name: a\n    server: https://new.example\n" + b},
		{"one more, in use", twoContexts, put(settings.Context{Name: "c", Server: "https://c.example"}, true),
			"context: c\ncontexts:\n" + a + b + "  - name: c\n    server: https://c.example\n"},
		{"the context in use removed", twoContexts, remove("a"), "contexts:\n" + b},
		{"another removed", twoContexts, remove("b"), "context: a\ncontexts:\n" + a},
		{"an absent one removed", twoContexts, remove("absent"), ""},
		{"a comment without a line end", "# of the team", set("lang", "", "pt"), "# of the team\nlang: pt\n"},
		{"comments between lines of Windows", strings.ReplaceAll(lines, "\n", "\r\n"), set("lang", "", "pt"), lines + "lang: pt\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			after, err := edited(t, c.before, c.edit)
			if wrong, refused := errors.AsType[*failure.Failure](err); refused != (c.after == "") || refused && !strings.Contains(wrong.Error(), `"absent"`) {
				t.Errorf("got %v", err)
			}
			if want := cmp.Or(c.after, c.before); after != want {
				t.Errorf("got\n%s\nwant\n%s", after, want)
			}
		})
	}
}

// Headers are a mapping in the file and in texts; lists show only their names.
func TestHeadersAreAMappingWhoseValuesListsDoNotShow(t *testing.T) {
	after, err := edited(t, twoContexts, func(f *settings.File) error {
		if err := f.Set("headers", "a", "X-Tenant: abc\nX-Key: s: 1"); err != nil {
			return err
		}
		all, c, err := f.Values(settings.Inputs{Getenv: func(string) string { return "" }})
		if v := all["headers"]; v.Text != "X-Key: s: 1\nX-Tenant: abc" || v.Shown() != "X-Key, X-Tenant" || c.Headers["X-Key"] != "s: 1" {
			t.Errorf("got %q, shown %q, and %v", v.Text, v.Shown(), c.Headers)
		}
		_, other, elsewhere := f.Values(settings.Inputs{Getenv: func(name string) string { return map[string]string{"ATIVA_SERVER": "https://else.example"}[name] }})
		if elsewhere != nil || len(other.Headers) > 0 {
			t.Errorf("got %v, %v, want none for another server", other.Headers, elsewhere)
		}
		return err
	})
	if err != nil || !strings.Contains(after, "headers:\n") || !strings.Contains(after, "X-Tenant: abc\n") {
		t.Errorf("got %v and\n%s", err, after)
	}
}

func TestAnEditThatFailsNamesTheFileOnce(t *testing.T) {
	f, err := open(t, twoContexts)
	must(t, err)
	err = f.Edit(func() error { // a directory replaces the file meanwhile
		return errors.Join(os.Remove(f.Path), os.MkdirAll(filepath.Join(f.Path, "full"), 0o700))
	})
	if _, cause := errors.AsType[syscall.Errno](err); !cause || strings.Count(err.Error(), f.Path) != 1 {
		t.Errorf("got %v, want the path once and the cause", err)
	}
}
