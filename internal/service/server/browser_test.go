package server_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"ativa/internal/service/store/pgtest"
)

// browser starts a fresh headless Chromium. Without one it skips the test, unless the environment
// requires it.
func browser(t *testing.T) context.Context {
	t.Helper()
	if os.Getenv(pgtest.Engine) == "postgres" {
		t.Skip("the page is the same on every database")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("ATIVA_REQUIRE_CHROMIUM") == "1" {
			t.Fatal("ATIVA_REQUIRE_CHROMIUM is set, and there is no chromium")
		}
		t.Skip("no chromium: the activation page is not tried in a browser")
	}
	profile, err := os.MkdirTemp("", "ativa-browser-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(profile) }) // a child of the browser may still write
	allocator, stop := chromedp.NewExecAllocator(context.Background(), chromedp.ExecPath(path), chromedp.UserDataDir(profile),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("hide-scrollbars", true), chromedp.WSURLReadTimeout(time.Minute))
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(func() { // the browser writes into its directory until it is gone
		end()
		stop()
		chromedp.FromContext(ctx).Allocator.Wait()
	})
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func phone() chromedp.EmulateAction {
	return chromedp.EmulateViewport(360, 640, chromedp.EmulateScale(2), chromedp.EmulateMobile, chromedp.EmulateTouch)
}

// layout is the measured page: whether it fits its screen, whether its style is applied, and the
// height and contrast of its button.
type layout struct {
	Title, Heading, Lang string
	Fits, Styled         bool
	Button               float64
	ButtonOnScreen       bool
	Contrast             float64
	Scripts              int
	Logo                 float64 // its width
}

// measure runs in the page. The contrast is the lowest of all its texts (WCAG 2.2).
const measure = `(() => {
	const rgb = s => s.match(/[\d.]+/g).map(Number);
	const light = c => { const f = c.slice(0, 3).map(v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 }); return .2126 * f[0] + .7152 * f[1] + .0722 * f[2] };
	const under = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c } return [255, 255, 255] };
	let contrast = 21;
	for (const e of document.querySelectorAll('h1, p, a, button')) {
		const a = light(rgb(getComputedStyle(e).color)), b = light(under(e));
		contrast = Math.min(contrast, (Math.max(a, b) + .05) / (Math.min(a, b) + .05));
	}
	const button = document.querySelector('button'), logo = document.querySelector('img'), box = button && button.getBoundingClientRect();
	return {
		Title: document.title, Heading: document.querySelector('h1').textContent, Lang: document.documentElement.lang,
		Fits: document.documentElement.scrollWidth <= innerWidth, Styled: getComputedStyle(document.querySelector('.card')).borderRadius !== '0px',
		Button: box ? box.height : 0, ButtonOnScreen: !box || box.bottom <= innerHeight, Contrast: contrast, Scripts: document.scripts.length,
		Logo: logo && logo.naturalWidth ? logo.getBoundingClientRect().width : 0,
	};
})()`

func TestTheActivationPageInABrowser(t *testing.T) {
	t.Parallel()
	ctx := browser(t)
	chromedp.ListenTarget(ctx, func(e any) { // such as violations of the page's policy, which permits no request
		if e, ok := e.(*cdplog.EventEntryAdded); ok && e.Entry.Source != cdplog.SourceNetwork { // that logs every status from 400 on
			t.Errorf("the browser warns: %s", e.Entry.Text)
		}
	})
	for state, prepare := range map[string]func(f *fixture, link string){
		"ready":   func(*fixture, string) {},
		"branded": func(f *fixture, _ string) { f.brand() },
		"active":  func(f *fixture, link string) { f.do("POST", "/activate/"+link, "").want(200) },
		"closed": func(f *fixture, _ string) {
			f.do("POST", "/provision/deactivate", batch(basic, 1)).want(200)
		},
	} {
		f := newFixture(t)
		f.register(1, 1, basic)
		link := f.links()[doc(1)]
		prepare(f, link)
		for screen, size := range map[string]chromedp.EmulateAction{"phone": phone(), "desktop": chromedp.EmulateViewport(1280, 800)} {
			for _, scheme := range []string{"light", "dark"} {
				t.Run(state+"/"+screen+"/"+scheme, func(t *testing.T) {
					var l layout
					err := chromedp.Run(ctx, network.Enable(), cdplog.Enable(), size,
						emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
						network.SetExtraHTTPHeaders(network.Headers{"Accept-Language": "pt-BR"}),
						chromedp.Navigate(f.http.URL+"/activate/"+link), chromedp.Evaluate(measure, &l))
					must(t, err)
					if !l.Fits || !l.Styled || !l.ButtonOnScreen || l.Scripts > 0 || l.Contrast < 4.5 || l.Lang != "pt-BR" || !strings.HasPrefix(l.Title, l.Heading) {
						t.Errorf("got %+v", l)
					}
					if button := state == "ready" || state == "branded"; button && l.Button < 48 || !button && l.Button != 0 {
						t.Errorf("the button is %v pixels tall", l.Button)
					}
					if branded := state == "branded"; branded != (l.Logo > 0) {
						t.Errorf("the logo is %v pixels wide", l.Logo)
					}
				})
			}
		}
	}
}

// The button works by keyboard and without scripts.
func TestTheButtonActivatesInABrowser(t *testing.T) {
	t.Parallel()
	ctx, f := browser(t), newFixture(t)
	f.register(1, 1, basic)
	f.must(chromedp.Run(ctx, emulation.SetScriptExecutionDisabled(true), phone(), chromedp.Navigate(f.http.URL+"/activate/"+f.links()[doc(1)])))
	_, err := chromedp.RunResponse(ctx, chromedp.KeyEvent(kb.Tab+kb.Enter))
	f.must(err)
	f.do("GET", "/subscribers/"+doc(1), "").want(200).has(map[string]string{"subscriber.services.0.status": "active"})
}
