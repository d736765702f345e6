package main

import (
	"context"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// built is the manual of this clone; what the directory had before is gone.
func built(t *testing.T) (dir string, pages map[string]string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "site")
	if err := put(dir, "old.html", nil); err != nil {
		t.Fatal(err)
	}
	if err := build("../..", dir); err != nil {
		t.Fatal(err)
	}
	pages = map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".html" {
			return err
		}
		text, err := os.ReadFile(path)
		pages[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir, pages
}

func TestTheSiteLeadsToItselfAlone(t *testing.T) {
	t.Parallel()
	dir, pages := built(t)
	sources, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	commands, err := filepath.Glob("../../docs/cli/*.md")
	if err != nil {
		t.Fatal(err)
	}
	beside, err := filepath.Glob("../../*.md")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(pages), len(sources)+len(commands)+len(beside); got != want {
		t.Errorf("%d pages, want %d", got, want)
	}
	for path, page := range pages {
		for _, m := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if strings.HasPrefix(m[1], "https://") && strings.Contains(page, `<a href="`+m[1]) {
				continue // a link that a person may follow; nothing is loaded from there
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), filepath.FromSlash(file))
			}
			if _, err := os.Stat(target); err != nil || !strings.HasPrefix(target, dir) {
				t.Errorf("%s: %s leads nowhere", path, m[1])
			} else if anchor != "" && !strings.Contains(pages[target], `id="`+anchor+`"`) {
				t.Errorf("%s: %s: there is no such place", path, m[1])
			}
		}
		if strings.Contains(page, "<!--") || !strings.Contains(page, "<h") {
			t.Errorf("%s has a comment, or no heading", path)
		}
	}
	if !strings.Contains(pages[filepath.Join(dir, "faq.html")], `<a href="scaling.html#when-to-leave-sqlite">Scaling</a>`) {
		t.Error("a link that is called like a file does not have the title of its page")
	}
}

func TestTheSearchKnowsEverySection(t *testing.T) {
	t.Parallel()
	dir, pages := built(t)
	script, err := os.ReadFile(filepath.Join(dir, "search.js"))
	if err != nil {
		t.Fatal(err)
	}
	list, _, _ := strings.Cut(strings.TrimPrefix(string(script), "const sections = "), ";\n")
	var sections []section
	if err := json.Unmarshal([]byte(list), &sections); err != nil {
		t.Fatal(err)
	}
	headings := 0
	for _, page := range pages {
		headings += len(regexp.MustCompile(`<h[1-6] id=`).FindAllString(page, -1))
	}
	if len(sections) != headings || headings < 500 {
		t.Errorf("%d sections of %d headings", len(sections), headings)
	}
}

// The search works from files, by the keyboard alone.
func TestTheSiteIsSearchedInABrowser(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("ATIVA_REQUIRE_CHROMIUM") == "1" {
			t.Fatal("ATIVA_REQUIRE_CHROMIUM is set, and there is no chromium")
		}
		t.Skip("no chromium: the site is not tried in a browser")
	}
	dir, _ := built(t)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(dir, "cli", "ativa_sync.html"))}).String()
	type look struct {
		Found, First, At string
		Page             bool // is shown
	}
	const state = `({
		Found: document.getElementById('found').textContent, First: document.querySelector('#results a')?.textContent ?? '',
		At: location.pathname.split('/').pop() + location.hash, Page: document.getElementById('page').offsetParent !== null,
	})`
	var typed, followed look
	err = chromedp.Run(ctx, chromedp.Navigate(address), chromedp.SendKeys("#words", "Tákíng run BACK"), chromedp.Evaluate(state, &typed))
	if err != nil {
		t.Fatal(err)
	}
	if typed.First != "Onboarding from a spreadsheet: Taking a run back" || typed.Page || typed.Found == "" {
		t.Errorf("after typing: got %+v", typed)
	}
	if _, err := chromedp.RunResponse(ctx, chromedp.KeyEvent(kb.Enter)); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Run(ctx, chromedp.Evaluate(state, &followed)); err != nil {
		t.Fatal(err)
	}
	if followed.At != "importing.html#taking-a-run-back" || !followed.Page {
		t.Errorf("after Enter: got %+v", followed)
	}
}
