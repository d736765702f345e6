package delivery_test

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ativa/internal/delivery"
)

// renderEmail writes the e-mail and returns its header, text and HTML as a reader sees them.
func renderEmail(t *testing.T, email delivery.ActivationEmail) (mail.Header, string, string) {
	t.Helper()
	dir := t.TempDir()
	d, err := delivery.NewDirectoryMailer(dir, "ativacao@provedor.example")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Send(t.Context(), email); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, email.ID+".eml"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for r := multipart.NewReader(m.Body, params["boundary"]); ; {
		part, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	if len(texts) != 2 {
		t.Fatalf("got %d parts, want text and HTML", len(texts))
	}
	return m.Header, texts[0], texts[1]
}

func TestTheEMailInBothLanguages(t *testing.T) {
	for language, want := range map[string]struct{ subject, greeting, button, tag string }{
		"":   {"Ative Play Básico", "Olá, João da Silva!", "Ativar Play Básico", `lang="pt-BR"`},
		"pt": {"Ative Play Básico", "Olá, João da Silva!", "Ativar Play Básico", `lang="pt-BR"`},
		"en": {"Activate Play Básico", "Hello, João da Silva!", "Activate Play Básico", `lang="en"`},
	} {
		email := testEmail(1)
		email.Language = language
		header, text, html := renderEmail(t, email)
		subject, err := new(mime.WordDecoder).DecodeHeader(header.Get("Subject"))
		if err != nil || subject != want.subject {
			t.Errorf("%q: got the subject %q, %v", language, subject, err)
		}
		from, err := header.AddressList("From")
		if err != nil || from[0].Name != "Provedor Açaí" {
			t.Errorf("%q: got the sender %v, %v, want the provider's name", language, from, err)
		}
		for _, s := range []string{want.greeting, email.Link, "Provedor Açaí", "Play Básico"} {
			if !strings.Contains(text, s) {
				t.Errorf("%q: the text lacks %q", language, s)
			}
			if !strings.Contains(html, s) {
				t.Errorf("%q: the HTML lacks %q", language, s)
			}
		}
		if !strings.Contains(html, want.tag) || !strings.Contains(html, ">"+want.button+"</a>") || strings.Count(html, `href="`+email.Link+`"`) != 2 {
			t.Errorf("%q: the HTML lacks its language, button or links", language)
		}
		if strings.Contains(html, "<script") || strings.Contains(html, "<img") || strings.Contains(html, "src=") {
			t.Errorf("%q: the HTML loads or runs something", language)
		}
	}
}

func TestWhatSubscribersAreCalledIsNeverMarkupNorAHeader(t *testing.T) {
	email := testEmail(1)
	email.Name, email.Product = `<b onclick="x">João`, "Play\r\nBcc: x@example.com"
	header, _, html := renderEmail(t, email)
	if strings.Contains(html, "<b onclick") {
		t.Error("the name stands unescaped in the HTML")
	}
	if header.Get("Bcc") != "" {
		t.Error("the product's name became a header")
	}
}
