package server

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"ativa/internal/api"
	"ativa/internal/provision"
)

// viewLink shows what an activation link is good for. It changes nothing:
// mail scanners open links (decisions.md 8).
func (s *Server) viewLink(x *exchange) error {
	view, err := s.m.ViewLink(x.r.Context(), link(x))
	if err != nil {
		return err
	}
	return s.page.show(x, view)
}

// followLink activates the service, and shows what came of it.
func (s *Server) followLink(x *exchange) error {
	view, err := s.m.FollowLink(x.r.Context(), link(x))
	if err != nil {
		return err
	}
	return s.page.show(x, view)
}

// link is that of the path, without the slash that some programs add.
func link(x *exchange) string { return strings.TrimSuffix(x.r.PathValue(api.WildcardLink), "/") }

var (
	//go:embed link.html
	pageHTML string
	//go:embed link.css
	pageCSS string
)

// page is the activation page: for people with any browser, on a telephone
// first, without scripts and without anything from elsewhere.
type page struct {
	template *template.Template
	policy   string
}

func newPage() *page {
	return &page{
		template: template.Must(template.New("link").Parse(pageHTML)),
		policy: "default-src 'none'; style-src 'sha256-" + styleHash(pageCSS) +
			"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	}
}

// styleHash is what a content security policy calls a style by.
func styleHash(css string) string {
	sum := sha256.Sum256([]byte(css))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// pageData is what the template shows.
type pageData struct {
	Language string
	Style    template.CSS
	Mood     string // colours the page: good, wait, bad
	Words    words
	Provider string
	Product  string
	Button   bool
	Icon     string // the path of an SVG of 24 by 24
	Request  string // its id, where that may help support
}

// iconOf draws the state of a link; the words say the same.
func iconOf(state provision.LinkState) string {
	switch state {
	case provision.LinkReady: // a power button
		return "M12 3v8M6.6 6.6a8 8 0 1 0 10.8 0"
	case provision.LinkDone, provision.LinkActive, provision.LinkUsed: // a tick
		return "M4 12.5 9.5 18 20 6.5"
	case provision.LinkReplaced: // a letter
		return "M3 6h18v12H3zM3.5 6.5 12 13l8.5-6.5"
	case provision.LinkExpired: // a clock
		return "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7.5V12l3 2"
	case provision.LinkSuspended: // a pause
		return "M9 5v14M15 5v14"
	}
	return "M12 5v9M12 18.5v.01" // an exclamation mark
}

// show answers with the page of a link. A link that is good for nothing any
// more is gone (410), one that never was is not found.
func (p *page) show(x *exchange, view provision.LinkView) error {
	status, mood := http.StatusOK, "good"
	switch view.State {
	case provision.LinkReady, provision.LinkDone, provision.LinkActive:
	case provision.LinkUnknown:
		status, mood, x.code = http.StatusNotFound, "bad", api.CodeNotFound
	default:
		status, mood, x.code = http.StatusGone, "wait", api.CodeLinkInvalid
	}
	if x.code != "" && x.forMachine() {
		return &refusal{code: x.code, detail: wordsOf(english, view.State).Text}
	}
	language := x.language()
	return p.write(x, status, pageData{
		Language: language, Mood: mood, Words: wordsOf(language, view.State),
		Provider: view.Provider, Product: view.Product, Button: view.State == provision.LinkReady, Icon: iconOf(view.State),
	})
}

// refuse answers a fault or a refusal in words for people.
func (p *page) refuse(x *exchange, r *refusal) {
	language := x.language()
	err := p.write(x, r.status(), pageData{
		Language: language, Mood: "bad", Words: wordsOf(language, linkFault), Request: x.id, Icon: iconOf(linkFault),
	})
	if err != nil {
		panic(err)
	}
}

func (p *page) write(x *exchange, status int, d pageData) error {
	d.Style = template.CSS(pageCSS) //nolint:gosec // our own file
	var b bytes.Buffer
	if err := p.template.Execute(&b, d); err != nil {
		return fmt.Errorf("activation page: %w", err)
	}
	h := x.Header()
	h.Set("Content-Security-Policy", p.policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Content-Language", d.Language)
	h.Set("Vary", "Accept-Language")
	return x.send(status, "text/html; charset=utf-8", b.Bytes())
}
