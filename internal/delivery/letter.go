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

// Letter is an activation e-mail.
type Letter struct {
	ID       string // the same for every attempt; the left part of the Message-ID
	To       string
	Name     string
	Provider string
	Product  string
	Link     string
	Date     time.Time
	Language string // "pt" (default) or "en"
}

func compose(e provision.Errand, publicURL, language string) Letter {
	return Letter{
		ID: e.Job.ID.String(), To: e.Subscriber.Email, Name: e.Subscriber.Name,
		Provider: e.Provider.Name, Product: e.Product.Name,
		Link: activationURL(publicURL, e.LinkSecret), Date: e.Job.CreatedAt, Language: language,
	}
}

var (
	//go:embed letter.html
	letterHTML string
	//go:embed letter.txt
	letterText string
)

// message lays the letter out as an e-mail: HTML with a text alternative.
func (l Letter) message(from string) (*mail.Msg, error) {
	m := mail.NewMsg()
	sender, err := address(l.Provider, from)
	if err != nil {
		return nil, &Failure{Err: errors.New("the sender's address is not one"), Down: true}
	}
	recipient, err := address(l.Name, l.To)
	if err != nil {
		return nil, &Permanent{errors.New("the recipient's address is not accepted")}
	}
	m.FromMailAddress(sender)
	m.ToMailAddress(recipient)
	words := l.words()
	m.Subject(singleSpaced(words.Subject))
	_, domain, _ := strings.Cut(from, "@")
	m.SetMessageIDWithValue(l.ID + "@" + domain)
	m.SetDateWithValue(l.Date)
	m.SetGenHeader(mail.Header("Auto-Submitted"), "auto-generated")
	m.SetGenHeader(mail.Header("Content-Language"), words.Language)
	text, err := texttemplate.New("text").Parse(letterText)
	if err != nil {
		return nil, err
	}
	html, err := htmltemplate.New("html").Parse(letterHTML)
	if err != nil {
		return nil, err
	}
	data := struct {
		Letter
		Words letterWords
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

// address returns a named address for a header. A name that a header cannot
// hold leaves the bare address: it is no reason to send no letter.
func address(name, to string) (*netmail.Address, error) {
	a, err := netmail.ParseAddress(to)
	if err != nil {
		return nil, err
	}
	a.Name = singleSpaced(name)
	if !utf8.ValidString(a.Name) || strings.ContainsFunc(a.Name, unicode.IsControl) {
		a.Name = ""
	}
	return a, nil
}

// singleSpaced returns the text with each run of white space, line ends
// included, as one space: a header is folded at its spaces, and a longer run
// could become a line of spaces only.
func singleSpaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// write writes the letter as an .eml file holds it.
func (l Letter) write(w io.Writer, from string) error {
	m, err := l.message(from)
	if err != nil {
		return err
	}
	_, err = m.WriteTo(w)
	return err
}

// letterWords is what the letter says, in one language.
type letterWords struct {
	Language, Subject, Heading, Greeting, Offer, Button, NoButton, Validity, NotYou, SentBy string
}

func (l Letter) words() letterWords {
	const days = provision.LinkLife / (24 * time.Hour)
	if l.Language == "en" {
		return letterWords{
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
	return letterWords{
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
