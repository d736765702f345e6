package outbox_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/lang"
	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
)

// renderEmail renders an e-mail twice, as after a crash, and returns its header and its decoded
// innermost parts by media type and content id.
func renderEmail(t *testing.T, email outbox.ActivationEmail) (mail.Header, map[string]string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mail")
	d, err := outbox.NewDirectoryMailer(dir, "ativacao@provedor.example")
	must(t, err)
	must(t, errors.Join(d.Send(t.Context(), email), d.Send(t.Context(), email)))
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("got %d files, %v, want one that the second e-mail replaced", len(files), err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, files[0].Name()))
	must(t, err)
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	must(t, err)
	if got, want := m.Header.Get("Message-ID"), "<"+email.ID+"@provedor.example>"; got != want {
		t.Errorf("got Message-ID %s, want %s, which a repeat shares", got, want)
	}
	parts := map[string]string{}
	readParts(t, textproto.MIMEHeader(m.Header), m.Body, parts)
	return m.Header, parts
}

func readParts(t *testing.T, header textproto.MIMEHeader, body io.Reader, parts map[string]string) {
	t.Helper()
	media, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	must(t, err)
	if strings.HasPrefix(media, "multipart/") {
		inner := multipart.NewReader(body, params["boundary"])
		for part, err := inner.NextRawPart(); !errors.Is(err, io.EOF); part, err = inner.NextRawPart() {
			must(t, err)
			readParts(t, part.Header, part, parts)
		}
		return
	}
	if header.Get("Content-Transfer-Encoding") == "base64" {
		body = base64.NewDecoder(base64.StdEncoding, body)
	} else {
		body = quotedprintable.NewReader(body)
	}
	content, err := io.ReadAll(body)
	must(t, err)
	parts[strings.TrimSpace(media+" "+header.Get("Content-Id"))] = string(content)
}

func TestTheEMailInBothLanguages(t *testing.T) {
	for language, want := range map[string]struct{ subject, greeting, button, tag string }{
		"":   {"Ative Play Básico", "Olá, João da Silva!", "Ativar Play Básico", `lang="pt-BR"`},
		"pt": {"Ative Play Básico", "Olá, João da Silva!", "Ativar Play Básico", `lang="pt-BR"`},
		"en": {"Activate Play Básico", "Hello, João da Silva!", "Activate Play Básico now", `lang="en"`},
	} {
		email := testEmail(1)
		email.Language = lang.Language(language)
		header, parts := renderEmail(t, email)
		text, html := parts["text/plain"], parts["text/html"]
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

func TestTheEMailShowsTheProvidersBrand(t *testing.T) {
	logo := []byte("\xff\xd8 stands for a JPEG image")
	email := testEmail(1)
	email.Brand = domain.Brand{Logo: logo, Color: "#0b3d91", Phone: "0800 123 4567"}
	_, parts := renderEmail(t, email)
	for _, want := range []string{`<img src="cid:logo" alt="Provedor Açaí"`, `bgcolor="#0b3d91"`, "color:#0b3d91", "Atendimento: 0800 123 4567"} {
		if !strings.Contains(parts["text/html"], want) {
			t.Errorf("the HTML lacks %s", want)
		}
	}
	if strings.Contains(parts["text/html"], "#0b6b44") {
		t.Error("the HTML still has the colour of an e-mail without a brand")
	}
	if !strings.Contains(parts["text/plain"], "Atendimento: 0800 123 4567") {
		t.Error("the text lacks the telephone")
	}
	if parts["image/jpeg <logo>"] != string(logo) {
		t.Errorf("got the parts %q, want the logo as <logo>", slices.Sorted(maps.Keys(parts)))
	}
}

// The e-mail fits the service (decisions.md 18): for an active one it asks for no confirmation.
func TestTheEMailOfAnActiveServiceAsksForNothing(t *testing.T) {
	for _, c := range []struct {
		language string
		status   domain.Status
		asks     bool     // for a confirmation
		want     []string // in text and HTML
	}{
		{"pt", domain.InProgress, true, []string{"Só falta confirmar a ativação"}},
		{"pt", domain.Active, false, []string{"já está funcionando", "não é preciso confirmar nada"}},
		{"en", domain.InProgress, true, []string{"All that is left is to confirm the activation"}},
		{"en", domain.Active, false, []string{"is active already", "need not confirm anything"}},
	} {
		t.Run(c.language+" "+c.status.String(), func(t *testing.T) {
			m := &recordingMailer{}
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, manual)
				f.options.Mailer, f.options.Language = m, lang.Language(c.language)
				if c.status == domain.Active {
					f.resend(f.defaultProvider, f.registerActive(f.defaultProvider, 1, 1)[0])
				} else {
					f.register(f.defaultProvider, 1, 1)
				}
				f.start()
				advance(time.Second)
			})
			if len(m.sent) != 1 {
				t.Fatalf("got %d e-mails, want 1", len(m.sent))
			}
			header, parts := renderEmail(t, m.sent[0])
			text, rich := parts["text/plain"], parts["text/html"]
			subject, err := new(mime.WordDecoder).DecodeHeader(header.Get("Subject"))
			if err != nil || strings.Contains(subject, "tiv") != c.asks || !strings.Contains(subject, "Play 1") {
				t.Errorf("got subject %q, %v", subject, err)
			}
			for _, words := range c.want {
				if !strings.Contains(text, words) || !strings.Contains(rich, words) {
					t.Errorf("%q is missing:\n%s", words, text)
				}
			}
			if once := strings.Contains(text, "works once") || strings.Contains(text, "usado uma vez"); once != c.asks { // the link of an active service is not used up
				t.Errorf("it says that the link works once: %t, want %t:\n%s", once, c.asks, text)
			}
			for _, words := range []string{"Só falta", "Falta um passo", "All that is left", "One step left", "Ativar", "Activate", "será ativado", "will be activated"} {
				if strings.Contains(text+rich, words) && !c.asks {
					t.Errorf("it asks for a confirmation: %q", words)
				}
			}
		})
	}
}

// Both parts of the e-mail contain the instructions, as plain text.
func TestTheEMailShowsInstructionsAsText(t *testing.T) {
	email := testEmail(1)
	_, parts := renderEmail(t, email)
	text, html := parts["text/plain"], parts["text/html"]
	if strings.Contains(text, "Como usar") || strings.Contains(html, "Como usar") {
		t.Error("an e-mail without instructions has their title")
	}
	email.Lines, email.Help = []string{"<b onclick='x'>Baixe</b> o app", "", "{{.Link}} & entre"}, "https://exemplo.com.br/?a=1&b=2"
	_, parts = renderEmail(t, email)
	text, html = parts["text/plain"], parts["text/html"]
	if want := "Como usar Play Básico:\r\n\r\n<b onclick='x'>Baixe</b> o app\r\n\r\n{{.Link}} & entre\r\nhttps://exemplo.com.br/?a=1&b=2\r\n\r\n"; !strings.Contains(text, want) {
		t.Errorf("got the text %q, want %q in it", text, want)
	}
	for _, want := range []string{"Como usar Play Básico:", "Baixe&lt;/b&gt; o app<br><br>{{.Link}} &amp; entre</p>", `<a class="link" href="https://exemplo.com.br/?a=1&amp;b=2"`} {
		if !strings.Contains(html, want) {
			t.Errorf("the HTML lacks %s", want)
		}
	}
	if strings.Contains(html, "<b onclick") {
		t.Error("the HTML holds what stands in the instructions as markup")
	}
}
