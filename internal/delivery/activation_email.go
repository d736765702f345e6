package delivery

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"io"
	netmail "net/mail"
	"strings"
	texttemplate "text/template"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/wneessen/go-mail"

	"ativa/internal/provision"
)

// ActivationEmail is an activation e-mail.
type ActivationEmail struct {
	ID       string // the same for every attempt; the left part of the Message-ID
	To       string
	Name     string
	Provider string
	Product  string
	Link     string
	Date     time.Time
	Language string // "pt" (default) or "en"
}

func newActivationEmail(e provision.Errand, publicURL, language string) ActivationEmail {
	return ActivationEmail{
		ID: e.Job.ID.String(), To: e.Subscriber.Email, Name: e.Subscriber.Name,
		Provider: e.Provider.Name, Product: e.Product.Name,
		Link: activationURL(publicURL, e.LinkSecret), Date: e.Job.CreatedAt, Language: language,
	}
}

var (
	//go:embed activation_email.html
	htmlTemplate string
	//go:embed activation_email.txt
	textTemplate string
)

// message lays the letter out as an e-mail: HTML with a text alternative.
func (l ActivationEmail) message(from string) (*mail.Msg, error) {
	m := mail.NewMsg()
	sender, err := namedAddress(l.Provider, from)
	if err != nil {
		return nil, &TemporaryError{Err: errors.New("the sender's address is not one"), DestinationDown: true}
	}
	recipient, err := namedAddress(l.Name, l.To)
	if err != nil {
		return nil, &PermanentError{errors.New("the recipient's address is not accepted")}
	}
	m.FromMailAddress(sender)
	m.ToMailAddress(recipient)
	words := l.texts()
	m.Subject(collapseSpaces(words.Subject))
	_, domain, _ := strings.Cut(from, "@")
	m.SetMessageIDWithValue(l.ID + "@" + domain)
	m.SetDateWithValue(l.Date)
	m.SetGenHeader(mail.Header("Auto-Submitted"), "auto-generated")
	m.SetGenHeader(mail.Header("Content-Language"), words.Language)
	text, err := texttemplate.New("text").Parse(textTemplate)
	if err != nil {
		return nil, err
	}
	html, err := htmltemplate.New("html").Parse(htmlTemplate)
	if err != nil {
		return nil, err
	}
	data := struct {
		ActivationEmail
		Words emailTexts
	}{l, words}
	var plain, rich bytes.Buffer
	if err := text.Execute(&plain, data); err != nil {
		return nil, err
	}
	if err := html.Execute(&rich, data); err != nil {
		return nil, err
	}
	m.SetBodyString(mail.TypeTextPlain, plain.String())
	m.AddAlternativeString(mail.TypeTextHTML, rich.String())
	return m, nil
}

// namedAddress returns a named address for a header. A name that a header cannot
// hold leaves the bare address: it is no reason to send no letter.
func namedAddress(name, to string) (*netmail.Address, error) {
	a, err := netmail.ParseAddress(to)
	if err != nil {
		return nil, err
	}
	a.Name = collapseSpaces(name)
	if !utf8.ValidString(a.Name) || strings.ContainsFunc(a.Name, unicode.IsControl) {
		a.Name = ""
	}
	return a, nil
}

// collapseSpaces returns the text with each run of white space, line ends
// included, as one space: a header is folded at its spaces, and a longer run
// could become a line of spaces only.
func collapseSpaces(s string) string { return strings.Join(strings.Fields(s), " ") }

// writeTo writes the letter as an .eml file holds it.
func (l ActivationEmail) writeTo(w io.Writer, from string) error {
	m, err := l.message(from)
	if err != nil {
		return err
	}
	_, err = m.WriteTo(w)
	return err
}

// emailTexts is what the letter says, in one language.
type emailTexts struct {
	Language, Subject, Heading, Greeting, Offer, Button, NoButton, Validity, NotYou, SentBy string
}

func (l ActivationEmail) texts() emailTexts {
	const days = provision.LinkLife / (24 * time.Hour)
	if l.Language == "en" {
		return emailTexts{
			Language: "en",
			Subject:  "Activate " + l.Product,
			Heading:  fmt.Sprintf("One step left to use %s", l.Product),
			Greeting: fmt.Sprintf("Hello, %s!", l.Name),
			Offer:    fmt.Sprintf("%s has %s ready for you. All that is left is to confirm the activation:", l.Provider, l.Product),
			Button:   "Activate " + l.Product,
			NoButton: "The button does not open? Copy this address into your browser:",
			Validity: fmt.Sprintf("The link is valid for %d days and works once.", days),
			NotYou:   "If you did not expect this e-mail, simply ignore it: nothing will be activated.",
			SentBy:   fmt.Sprintf("Sent on behalf of %s.", l.Provider),
		}
	}
	return emailTexts{
		Language: "pt-BR",
		Subject:  "Ative " + l.Product,
		Heading:  fmt.Sprintf("Falta um passo para usar %s", l.Product),
		Greeting: fmt.Sprintf("Olá, %s!", l.Name),
		Offer:    fmt.Sprintf("%s preparou %s para você. Só falta confirmar a ativação:", l.Provider, l.Product),
		Button:   "Ativar " + l.Product,
		NoButton: "O botão não abre? Copie este endereço no navegador:",
		Validity: fmt.Sprintf("O link vale por %d dias e só pode ser usado uma vez.", days),
		NotYou:   "Se você não esperava este e-mail, é só ignorá-lo: nada será ativado.",
		SentBy:   fmt.Sprintf("Enviado em nome de %s.", l.Provider),
	}
}
