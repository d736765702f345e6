package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// docsLook is what a look at /docs measures.
type docsLook struct {
	Fits, Searchable, ContentsOpen, Beside bool
	Contrast                               float64
	Faint                                  string // the text of the least contrast
	Begin                                  string
}

// measureDocs runs in the page; the contrast is the least of all its texts (WCAG 2.2).
const measureDocs = `(() => {
	const rgb = s => s.match(/[\d.]+/g).map(Number);
	const light = c => { const f = c.slice(0, 3).map(v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 }); return .2126 * f[0] + .7152 * f[1] + .0722 * f[2] };
	const under = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return light(c) } return 1 };
	let contrast = 21, faint = '';
	for (const e of document.querySelectorAll('h1, h2, h3, h4, p, a, td, th, pre, code, label, summary, span')) {
		const a = light(rgb(getComputedStyle(e).color)), b = under(e), c = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		if (c < contrast) { contrast = c; faint = e.outerHTML.slice(0, 100) }
	}
	return {
		Fits: document.documentElement.scrollWidth <= innerWidth, Searchable: document.querySelector('#words').offsetParent !== null,
		ContentsOpen: document.querySelector('#contents').open, Contrast: contrast, Faint: faint,
		Beside: document.querySelector('main').getBoundingClientRect().left >= document.querySelector('aside').getBoundingClientRect().right,
		Begin: document.querySelector('#begin').textContent.split('\n')[0],
	};
})()`

func TestTheDocsInABrowser(t *testing.T) {
	t.Parallel()
	ctx := browser(t)
	seen := &watch{}
	seen.on(ctx)
	f := newFixture(t)
	url := f.http.URL + "/docs"
	for screen, size := range screens() {
		for _, scheme := range []string{"light", "dark"} {
			t.Run(screen+"/"+scheme, func(t *testing.T) {
				var l docsLook
				err := chromedp.Run(ctx, network.Enable(), cdplog.Enable(), size,
					emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
					chromedp.Navigate(url), chromedp.Evaluate(measureDocs, &l), photograph(t, "docs-"+screen+"-"+scheme))
				if err != nil {
					t.Fatal(err)
				}
				wide := screen == "desktop"
				if !l.Fits || !l.Searchable || l.ContentsOpen != wide || l.Beside != wide || l.Contrast < 4.5 || l.Begin != "SERVER="+f.http.URL+" ACCESS_TOKEN=…" {
					t.Errorf("got %+v", l)
				}
				complaints, asked := seen.cleared()
				if len(complaints) > 0 || len(asked) == 0 {
					t.Errorf("the browser complains: %q", complaints)
				}
				for _, a := range asked {
					if a != url && a != f.http.URL+"/favicon.ico" {
						t.Errorf("the page asks for %s", a)
					}
				}
			})
		}
	}
	t.Run("search", func(t *testing.T) { searchTheDocs(ctx, t, url) })
	t.Run("names", func(t *testing.T) { docsHaveNames(ctx, t, url) })
	t.Run("without scripts", func(t *testing.T) {
		var search, contents, begin string
		err := chromedp.Run(ctx, emulation.SetScriptExecutionDisabled(true), chromedp.Navigate(url),
			chromedp.OuterHTML("#search", &search), chromedp.OuterHTML("#contents", &contents), chromedp.TextContent("#begin", &begin))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(search, " hidden") || !strings.Contains(contents, " open") || !strings.HasPrefix(begin, "SERVER=https://ativa.example.com ") {
			t.Errorf("the search is %s; the contents are %s; the page begins with %q", search, contents, begin)
		}
	})
}

// searchTheDocs finds a call by the keyboard alone.
func searchTheDocs(ctx context.Context, t *testing.T, url string) {
	t.Helper()
	const state = `({
		All: document.querySelectorAll('article').length, Shown: document.querySelectorAll('article:not([hidden])').length,
		First: document.querySelector('article:not([hidden]) h3')?.id, Entries: document.querySelectorAll('nav li li:not([hidden])').length,
		Found: document.getElementById('found').textContent, Hash: location.hash, Top: document.querySelector('article:not([hidden])')?.getBoundingClientRect().top,
	})`
	type look struct {
		All, Shown, Entries int
		First, Found, Hash  string
		Top                 float64
	}
	var typed, entered, cleared look
	err := chromedp.Run(ctx, screens()["desktop"], chromedp.Navigate(url),
		input.DispatchKeyEvent(input.KeyDown).WithKey("/"), chromedp.KeyEvent("Overdue LÁCK pending"), chromedp.Evaluate(state, &typed))
	if err != nil {
		t.Fatal(err)
	}
	if typed.Shown != 0 || typed.Found != fmt.Sprintf("0 of %d match", typed.All) {
		t.Errorf("words that never stand together: got %+v", typed)
	}
	for range " pending" {
		if err := chromedp.Run(ctx, chromedp.KeyEvent(kb.Backspace)); err != nil {
			t.Fatal(err)
		}
	}
	err = chromedp.Run(ctx, chromedp.Evaluate(state, &typed), chromedp.KeyEvent(kb.Enter), chromedp.Evaluate(state, &entered), photograph(t, "docs-search"),
		chromedp.Focus("#words"), chromedp.KeyEvent(kb.Escape), chromedp.Evaluate(state, &cleared))
	if err != nil {
		t.Fatal(err)
	}
	if typed.First != "overdue" || typed.Shown == 0 || typed.Shown > 4 || typed.Entries != typed.Shown || typed.Found != fmt.Sprintf("%d of %d match", typed.Shown, typed.All) {
		t.Errorf("overdue lack: got %+v", typed)
	}
	if entered.Hash != "#overdue" || entered.Top < -100 || entered.Top > 100 {
		t.Errorf("after Enter: got %+v", entered)
	}
	if cleared.Shown != cleared.All || cleared.Entries != cleared.All || cleared.Found != "" {
		t.Errorf("after Escape: got %+v", cleared)
	}
}

// docsHaveNames reads the page as a screen reader does.
func docsHaveNames(ctx context.Context, t *testing.T, url string) {
	t.Helper()
	type text struct{ Value string }
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name text
		}
	}
	var raw json.RawMessage
	err := chromedp.Run(ctx, screens()["desktop"], chromedp.Navigate(url), chromedp.ActionFunc(func(ctx context.Context) error {
		return cdp.Execute(ctx, accessibility.CommandGetFullAXTree, nil, &raw) // its type knows fewer values than Chromium
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &tree); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, n := range tree.Nodes {
		role, name := n.Role.Value, n.Name.Value
		switch role {
		case "link", "searchbox", "DisclosureTriangle", "article", "navigation":
			if name == "" && !n.Ignored {
				t.Errorf("a %s has no name", role)
			}
			got[role]++
		case "main", "complementary", "status":
			got[role]++
		}
		if role == "searchbox" && name != "Search this page" {
			t.Errorf("the search is called %q", name)
		}
	}
	for role, want := range map[string]int{"searchbox": 1, "DisclosureTriangle": 1, "navigation": 1, "main": 1, "complementary": 1, "status": 1, "article": 30, "link": 30} {
		if got[role] < want {
			t.Errorf("%d of %s, want %d", got[role], role, want)
		}
	}
}
