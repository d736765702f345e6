package settings_test

import (
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

func TestOnlyAContextThatExistsCanBeSet(t *testing.T) {
	for _, c := range []struct{ key, in, value string }{{"context", "", "absent"}, {"server", "absent", "https://x.example"}} {
		after, err := edited(t, twoContexts, func(f *settings.File) error { return f.Set(c.key, c.in, c.value) })
		if wrong, ok := errors.AsType[*failure.Failure](err); !ok || !strings.Contains(wrong.Error(), `"absent"`) || after != twoContexts {
			t.Errorf("%v: got %v and\n%s", c, err, after)
		}
	}
	after, err := edited(t, twoContexts, func(f *settings.File) error { return f.Set("context", "", "b") })
	if err != nil || !strings.HasPrefix(after, "context: b\n") {
		t.Errorf("got %v and\n%s", err, after)
	}
	if after, err = edited(t, twoContexts, func(f *settings.File) error { return f.Set("storage", "a", "") }); err != nil || strings.Contains(after, "storage") {
		t.Errorf("got %v and\n%s, want the key taken out", err, after)
	}
}

// Headers are a mapping in the file and in texts; lists show only their names.
func TestHeadersAreAMapping(t *testing.T) {
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
	for text, want := range map[string]string{
		"headers: abc": "names with a value each", "headers: [a, b]": "names with a value each", "headers: {X-A: {b: c}}": "names with a value each",
		"headers: {Authorization: Bearer x}": "Authorization is set by ativa itself", "headers: {host: x}": "host is set by ativa itself",
		"headers: {idempotency-key: x}": "is set by ativa itself", "headers: {X A: b}": "is no name of a header", "headers: {X-A: }": "X-A has no value",
		"headers: {X-A: \"a\\nb\"}": "header", "headers: {X-A: b, x-a: c}": "is there twice", "resend_product: maybe": "is one of true, false",
	} {
		if _, err := open(t, "contexts:\n  - name: a\n    server: https://a.example\n    "+text+"\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestAContextTakesThePlaceOfTheOneOfItsName(t *testing.T) {
	after, err := edited(t, twoContexts, func(f *settings.File) error {
		return f.Edit(func() error { return f.Put(settings.Context{Name: "a", Server: "https://new.example"}, false) })
	})
	if err != nil || strings.Count(after, "name: a") != 1 || !strings.Contains(after, "https://new.example") || strings.Contains(after, "storage") || strings.Contains(after, "https://a.example") {
		t.Errorf("got %v and\n%s, want the new one alone", err, after)
	}
	after, err = edited(t, twoContexts, func(f *settings.File) error {
		return f.Edit(func() error { return f.Put(settings.Context{Name: "c", Server: "https://c.example"}, true) })
	})
	if err != nil || !strings.HasPrefix(after, "context: c\n") || !strings.Contains(after, "name: c") || !strings.Contains(after, "name: a") {
		t.Errorf("got %v and\n%s, want one more, in use", err, after)
	}
}

func TestAContextInUseThatIsRemovedIsNoLongerUsed(t *testing.T) {
	after, err := edited(t, twoContexts, func(f *settings.File) error { return f.Remove("a") })
	if err != nil || strings.Contains(after, "context: a") || strings.Contains(after, "name: a") || !strings.Contains(after, "name: b") {
		t.Errorf("got %v and\n%s", err, after)
	}
	if after, err = edited(t, twoContexts, func(f *settings.File) error { return f.Remove("b") }); err != nil || !strings.HasPrefix(after, "context: a\n") || strings.Contains(after, "name: b") {
		t.Errorf("got %v and\n%s, want the other one still used", err, after)
	}
	if after, err = edited(t, twoContexts, func(f *settings.File) error { return f.Remove("absent") }); err == nil || after != twoContexts {
		t.Errorf("got %v and\n%s, want a refusal", err, after)
	}
}

// YAML stores a path that is not UTF-8 in base64.
func TestAPathThatIsNotUTF8IsReadAsItWasSet(t *testing.T) {
	const path = "/home/jo\xe3o/ca.pem"
	f, err := open(t, twoContexts)
	must(t, err)
	must(t, f.Set("ca_cert", "a", path))
	again, err := settings.Open(options(f.Path))
	must(t, err)
	values, c, err := again.ValuesIn(settings.Inputs{Getenv: func(string) string { return "" }}, "a")
	if err != nil || c.CACert != path || values["ca_cert"].Text != path {
		t.Errorf("got %q and %q, %v, want %q", c.CACert, values["ca_cert"].Text, err, path)
	}
}

// A key set in a file with only a comment does not join the comment.
func TestAKeyStandsBelowACommentWithoutALineEnd(t *testing.T) {
	after, err := edited(t, "# of the team", func(f *settings.File) error { return f.Set("lang", "", "pt") })
	if want := "# of the team\nlang: pt\n"; err != nil || after != want {
		t.Errorf("got %q, %v, want %q", after, err, want)
	}
}

// An edit of a file with CR LF line ends adds no empty lines after comments.
func TestAFileOfWindowsKeepsItsComments(t *testing.T) {
	lines := "# mine\n# more\ncontext: a # default\n# all\ncontexts:\n  # first\n  - name: a\n    server: https://a.example # there\n"
	after, err := edited(t, strings.ReplaceAll(lines, "\n", "\r\n"), func(f *settings.File) error { return f.Set("lang", "", "pt") })
	if want := lines + "lang: pt\n"; err != nil || after != want {
		t.Errorf("got %v and\n%q, want\n%q", err, after, want)
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
