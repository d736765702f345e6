package outbox

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	htmltemplate "html/template"
	netmail "net/mail"
	"strings"
	"sync"
	texttemplate "text/template"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/wneessen/go-mail"
	"golang.org/x/net/idna"

	"ativa/internal/lang"
	"ativa/internal/service/domain"
)

// ActivationEmail is the e-mail that carries an activation link to a subscriber.
type ActivationEmail struct {
	ID       string // the same for every attempt; the left part of the Message-ID
	To       string // the subscriber's address
	Name     string // the subscriber's name
	Provider string // shown as the sender
	Brand    domain.Brand
	Product  string
	Lines    []string // how to use the product
	Help     string   // URL with more instructions
	Active   bool     // whether the service already works, so that nothing is left to confirm
	Link     string   // activation URL
	Date     time.Time
	Language lang.Language // default Portuguese
}

func newActivationEmail(d domain.ClaimedDelivery, publicURL string, language lang.Language) ActivationEmail {
	return ActivationEmail{
		ID: d.Delivery.ID.String(), To: d.Subscriber.Email, Name: d.Subscriber.Name,
		Provider: d.Brand.NameOr(d.Provider.Name), Brand: d.Brand, Product: d.Product.Name, Lines: d.Product.InstructionLines(), Help: d.Product.HelpURL,
		Active: d.ServiceDetails.Service.Status == domain.Active, Link: activationURL(publicURL, d.LinkSecret), Date: d.Delivery.CreatedAt, Language: language,
	}
}

var (
	//go:embed activation_email.html
	htmlTemplate string
	//go:embed activation_email.txt
	textTemplate string
)

// templates returns the parsed templates. It parses them when the first e-mail is sent: parsing
// takes longer than anything else in sending one, and the command line never needs them.
var templates = sync.OnceValues(func() (*htmltemplate.Template, *texttemplate.Template) {
	return htmltemplate.Must(htmltemplate.New("html").Parse(htmlTemplate)), texttemplate.Must(texttemplate.New("text").Parse(textTemplate))
})

// The colour of an e-mail without a brand, and the content id of the embedded logo.
const (
	defaultAccent domain.Color = "#0b6b44"
	logoID        string       = "logo"
)

// message returns the e-mail as HTML with a plain-text alternative. Its errors
// are those of [Mailer].
func (e ActivationEmail) message(from string) (*mail.Msg, error) {
	m := mail.NewMsg()
	sender, err := namedAddress(e.Provider, from)
	if err != nil {
		return nil, &DeliveryError{Err: errors.New("the sender's address is not one"), DestinationDown: true}
	}
	recipient, err := namedAddress(e.Name, e.To)
	if err != nil {
		return nil, &DeliveryError{Err: errors.New("the recipient's address is not accepted"), Permanent: true}
	}
	m.FromMailAddress(sender)
	m.ToMailAddress(recipient)
	texts := e.texts()
	m.Subject(collapseSpaces(texts.Subject))
	_, host, _ := strings.Cut(sender.Address, "@")
	m.SetMessageIDWithValue(e.ID + "@" + host)
	m.SetDateWithValue(e.Date)
	m.SetGenHeader(mail.Header("Auto-Submitted"), "auto-generated")
	m.SetGenHeader(mail.Header("Content-Language"), texts.Language)
	data := struct {
		ActivationEmail
		Words  emailTexts
		Accent domain.Color
		LogoID string
	}{e, texts, cmp.Or(e.Brand.Color, defaultAccent), logoID}
	html, text := templates()
	var plain, rich bytes.Buffer
	if err := errors.Join(text.Execute(&plain, data), html.Execute(&rich, data)); err != nil {
		return nil, err
	}
	m.SetBodyString(mail.TypeTextPlain, plain.String())
	m.AddAlternativeString(mail.TypeTextHTML, rich.String())
	if logo := e.Brand.Logo; len(logo) > 0 {
		err = m.EmbedReader("logo", bytes.NewReader(logo), mail.WithFileContentID("<"+logoID+">"), mail.WithFileContentType(mail.ContentType(logo.MediaType())))
	}
	return m, err
}

// namedAddress returns an address with a name for a header. It omits a name that a header cannot
// contain, so that the e-mail is still sent, and converts an accented domain to its ASCII form
// (RFC 5891), which every mail server accepts.
func namedAddress(name, to string) (*netmail.Address, error) {
	a, err := netmail.ParseAddress(to)
	if err != nil {
		return nil, err
	}
	local, host, _ := strings.Cut(a.Address, "@")
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		a.Address = local + "@" + ascii
	}
	a.Name = collapseSpaces(name)
	if !utf8.ValidString(a.Name) || strings.ContainsFunc(a.Name, unicode.IsControl) {
		a.Name = ""
	}
	return a, nil
}

// collapseSpaces replaces each run of white space, line ends included, by one
// space. A header is folded at its spaces, so a longer run could become a line
// of spaces only.
func collapseSpaces(s string) string { return strings.Join(strings.Fields(s), " ") }

// emailTexts are the texts of the e-mail in one language.
type emailTexts struct {
	Language, Subject, Heading, Greeting, Offer, Button, NoButton, Validity, NotYou, SentBy, HowTo string
	Support                                                                                        string // "" without a support phone number
}

func (e ActivationEmail) texts() emailTexts {
	const days = int(domain.LinkLifetime / (24 * time.Hour))
	l := cmp.Or(e.Language, lang.Portuguese)
	texts := emailTexts{
		Language: l.Tag(),
		Subject:  l.Textf("Activate %s", e.Product),
		Heading:  l.Textf("One step left to use %s", e.Product),
		Greeting: l.Textf("Hello, %s!", e.Name),
		Offer:    l.Textf("%s has %s ready for you. All that is left is to confirm the activation:", e.Provider, e.Product),
		Button:   l.Textf("Activate %s now", e.Product),
		NoButton: l.Text("The button does not open? Copy this address into your browser:"),
		Validity: l.Textf("The link is valid for %d days and works once.", days),
		NotYou:   l.Text("If you did not expect this e-mail, simply ignore it: nothing will be activated."),
		HowTo:    l.Textf("How to use %s:", e.Product),
		SentBy:   l.Textf("Sent on behalf of %s.", e.Provider),
	}
	if e.Active {
		texts.Subject, texts.Button = l.Textf("Your new link for %s", e.Product), l.Textf("See %s", e.Product)
		texts.Heading = l.Textf("%s is active", e.Product)
		texts.Offer = l.Textf("%s sends you a new link. %s is active already, and you need not confirm anything:", e.Provider, e.Product)
		texts.Validity = l.Textf("The link is valid for %d days.", days) // it is not used up
		texts.NotYou = l.Text("If you did not expect this e-mail, simply ignore it: nothing will change.")
	}
	if e.Brand.Phone != "" {
		texts.Support = l.Textf("Support: %s", e.Brand.Phone)
	}
	return texts
}
