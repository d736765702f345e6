package server

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// viewLink shows the state of an activation link. It activates nothing, because mail scanners open
// links (decisions.md 8). A GET records that the link was opened; if that fails, the page is shown
// anyway.
func (s *Server) viewLink(c *requestContext) error {
	view, err := s.rules.ViewLink(c.r.Context(), pathLink(c))
	if err != nil {
		return err
	}
	if c.r.Method == http.MethodGet {
		if err := s.rules.RecordOpening(c.r.Context(), view); err != nil {
			s.o.Log.Warn("the opening of a link could not be recorded", "error", err)
		}
	}
	return c.showLink(view)
}

func (s *Server) followLink(c *requestContext) error {
	view, err := s.rules.FollowLink(c.r.Context(), pathLink(c))
	if err != nil {
		return err
	}
	return c.showLink(view)
}

// pathLink returns the link in the path, without the slash that some programs append.
func pathLink(c *requestContext) string {
	return strings.TrimSuffix(c.r.PathValue(api.WildcardLink), "/")
}

// The page of an activation link works in any browser, is designed for phones first, and needs no
// scripts or other files.
var (
	//go:embed link.html
	linkHTML string
	//go:embed link.css
	linkCSS string
)

// pageData is the data of the template.
type pageData struct {
	Language string
	Style    template.CSS
	Mood     string // see linkPage
	Icon     string
	Title    string
	Text     string
	Button   string // "" for a page without a button
	Next     string
	Provider string
	Product  string
	Lines    []string     // how to use the working product
	Help     string       // URL with more instructions
	Logo     template.URL // the image itself, as a data URL
	Phone    string       // of the provider's support
	Dial     template.URL // tel: URL of the phone number
	Request  string       // the request ID, if it may help support
}

// The icons of the page: path data of SVGs of 24 by 24.
const (
	iconPower       = "M12 3v8M6.6 6.6a8 8 0 1 0 10.8 0"
	iconTick        = "M4 12.5 9.5 18 20 6.5"
	iconLetter      = "M3 6h18v12H3zM3.5 6.5 12 13l8.5-6.5"
	iconClock       = "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7.5V12l3 2"
	iconPause       = "M9 5v14M15 5v14"
	iconExclamation = "M12 5v9M12 18.5v.01"
)

// showLink sends the page of a link.
func (c *requestContext) showLink(view rules.LinkView) error {
	page := linkPageOf(view.State)
	switch page.status {
	case http.StatusNotFound:
		c.code = api.CodeNotFound
	case http.StatusGone:
		c.code = api.CodeLinkInvalid
	}
	if c.code != "" && c.wantsProblem() {
		return &httpError{code: c.code, detail: page.text}
	}
	d := page.data(c.language())
	d.Provider, d.Product = view.Provider, view.Product.Name
	d.Logo, d.Phone, d.Dial = dataURL(view.Brand.Logo), view.Brand.Phone, dialURL(view.Brand.Phone)
	if view.State == rules.LinkDone || view.State == rules.LinkActive {
		d.Lines, d.Help = view.Product.InstructionLines(), view.Product.HelpURL
	}
	return c.writePage(page.status, brandStyle(view.Brand.Color), d)
}

// showError sends an error as a page for people.
func (c *requestContext) showError(e *httpError) {
	d := linkPageOf(linkFailed).data(c.language())
	d.Request = c.id
	if err := c.writePage(e.status(), "", d); err != nil {
		panic(err)
	}
}

// brandStyle returns the style sheet with the brand's colour. On dark screens, where the colour
// may be hard to read, the page is grey.
func brandStyle(c domain.Color) string {
	if c == "" {
		return ""
	}
	return fmt.Sprintf(".good{--accent:%s;--tint:%s;--on:#fff}", c, domain.BrandGround) +
		"@media (prefers-color-scheme:dark){.good{--accent:#eef3f7;--tint:#2b3945;--on:#17212a}}"
}

// dataURL returns the logo as a data URL, which needs no request.
func dataURL(l domain.Logo) template.URL {
	if len(l) == 0 {
		return ""
	}
	return template.URL("data:" + l.MediaType() + ";base64," + base64.StdEncoding.EncodeToString(l)) //nolint:gosec // an image that rules encoded
}

// dialURL returns the URL that makes a telephone dial a number.
func dialURL(phone string) template.URL {
	if phone == "" {
		return ""
	}
	return template.URL("tel:" + strings.Map(func(r rune) rune { //nolint:gosec // digits only
		if r == '+' || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, phone))
}

// writePage sends the page of a link. style is added to the page's own style sheet.
func (c *requestContext) writePage(status int, style string, d pageData) error {
	style = linkCSS + style
	d.Style = template.CSS(style) //nolint:gosec // our own file and checked colours
	var b bytes.Buffer
	if err := c.s.linkPage.Execute(&b, d); err != nil {
		return fmt.Errorf("activation page: %w", err)
	}
	h := c.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; img-src data:; style-src 'sha256-"+contentHash(style)+
		"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'") // nothing is loaded, and a logo is embedded in the page
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Content-Language", d.Language)
	h.Set("Vary", "Accept-Language")
	return c.send(status, "text/html; charset=utf-8", b.Bytes())
}
