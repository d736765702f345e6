package delivery

import (
	"bytes"
	_ "embed"
	"fmt"
	htmltemplate "html/template"
	"io"
	texttemplate "text/template"
	"time"

	"github.com/wneessen/go-mail"

	"ativa/internal/provision"
)

// Letter is an activation e-mail.
type Letter struct {
	ID       string // the same for every attempt; becomes the Message-ID
	To       string
	Name     string
	Provider string
	Product  string
	Link     string
	Date     time.Time
}

func compose(e provision.Errand, publicURL string) Letter {
	return Letter{
		ID: fmt.Sprintf("job-%x", int64(e.Job.ID)), To: e.Subscriber.Email, Name: e.Subscriber.Name,
		Provider: e.Provider.Name, Product: e.Product.Name,
		Link: publicURL + "/activate/" + e.LinkSecret, Date: e.Job.CreatedAt,
	}
}

//go:embed letter.html
var letterHTML string

const letterText = `Olá, {{.Name}}!

{{.Provider}} preparou {{.Product}} para você. Falta um passo: confirme a
ativação neste endereço, válido por 7 dias:

{{.Link}}

Se você não esperava este e-mail, pode ignorá-lo.
`

// message lays the letter out as an e-mail: HTML with a text alternative.
func (l Letter) message(from string) (*mail.Msg, error) {
	m := mail.NewMsg()
	if err := m.FromFormat(l.Provider, from); err != nil {
		return nil, &Permanent{fmt.Errorf("sender: %w", err)}
	}
	if err := m.AddToFormat(l.Name, l.To); err != nil {
		return nil, &Permanent{fmt.Errorf("recipient's address: not accepted")}
	}
	m.Subject("Ative " + l.Product)
	m.SetMessageIDWithValue(l.ID + "@ativa")
	m.SetDateWithValue(l.Date)
	m.SetGenHeader(mail.Header("Auto-Submitted"), "auto-generated")
	text, err := texttemplate.New("text").Parse(letterText)
	if err != nil {
		return nil, err
	}
	html, err := htmltemplate.New("html").Parse(letterHTML)
	if err != nil {
		return nil, err
	}
	var plain, rich bytes.Buffer
	if err := text.Execute(&plain, l); err != nil {
		return nil, err
	}
	if err := html.Execute(&rich, l); err != nil {
		return nil, err
	}
	m.SetBodyString(mail.TypeTextPlain, plain.String())
	m.AddAlternativeString(mail.TypeTextHTML, rich.String())
	return m, nil
}

// write writes the letter as an .eml file holds it.
func (l Letter) write(w io.Writer, from string) error {
	m, err := l.message(from)
	if err != nil {
		return err
	}
	_, err = m.WriteTo(w)
	return err
}
