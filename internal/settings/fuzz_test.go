package settings_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/failure"
	"ativa/internal/settings"
)

// Any configuration file is read or refused with a typed error. A file that was read
// stays readable after a key was set; a refused one stays unchanged. A service's file
// gives values or a typed error.
func FuzzFile(f *testing.F) {
	for _, text := range []string{
		"", twoContexts, "# of the team\ntimeout: 5s # short\n", "lang: pt\nimport_values: a=b\ncontexts: null\n", "- a\n", "context: {a: b}\n",
		"a: &x 1\nlang: *x\n", "contexts:\n  - &c {name: a, server: https://a.example}\n  - <<: *c\n    name: b\n", "---\nlang: pt\n---\nlang: en\n", "\ufefflang: pt\r\n",
		"\xff\xfe#\x00", "\xfe\xff\x00#\x00 \x00c\x00\n", "\xff\xfel\x00a\x00n\x00g\x00:\x00 \x00p\x00t\x00\n\x00",
		"contexts:\n  - name: a\n    read_only: \"true\"\n    protected: yes\n", "? {a: b}\n: c\n", "lang: !!binary aGVsbG8=\n", "listen: :1\ntrusted_proxy: [10.0.0.1, 10.0.0.2]\n",
	} {
		f.Add([]byte(text), "5s")
		f.Add([]byte(text), "a: b # c")
		f.Add([]byte(text), "\xff\xfe#\x00\xff")
	}
	path := filepath.Join(f.TempDir(), "config.yaml")
	o := options(path)
	f.Fuzz(func(t *testing.T, text []byte, value string) {
		must(t, os.WriteFile(path, text, 0o600))
		flags, keys := serviceFlags()
		values, err := settings.Service(keys, settings.Inputs{Flags: flags, Getenv: func(string) string { return "" }}, path)
		if isNamed(t, err); err == nil && len(values) != len(keys) {
			t.Errorf("got %d values of %d keys", len(values), len(keys))
		}
		file, err := settings.Open(o)
		if isNamed(t, err); err != nil {
			return
		}
		before := contents(file)
		err = file.Set("pager", "", value)
		if isNamed(t, err); err != nil {
			if left, err := os.ReadFile(path); err != nil || string(left) != string(text) {
				t.Errorf("the edit was refused, and the file is now %q, %v", left, err)
			}
			return
		}
		again, err := settings.Open(o)
		if err != nil {
			left, _ := os.ReadFile(path)
			t.Fatalf("after an edit of %q: %v\n%q", text, err, left)
		}
		before["pager"] = value
		if diff := cmp.Diff(contents(again), before); diff != "" {
			t.Errorf("after an edit of %q (- got, + want):\n%s", text, diff)
		}
	})
}

func contents(f *settings.File) map[string]any {
	all := map[string]any{"contexts": f.Contexts}
	for _, k := range f.Keys {
		all[k.Name] = f.Get(k.Name)
	}
	return all
}

func isNamed(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*failure.Failure](err); err != nil && !ok {
		t.Errorf("got %v, want an error of the settings", err)
	}
}
