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

// The e-mail fits its language, brand, product and service (decisions.md 18): for an active service it
// asks for no confirmation, and its link is not used up.
func TestTheActivationEMail(t *testing.T) {
	asks := []string{"Só falta", "Falta um passo", "Ativar", "será ativado", "usado uma vez"}
	for name, c := range map[string]struct {
		change                  func(*outbox.ActivationEmail)
		subject                 string
		both, html, text, lacks []string
	}{
		"in no language": {
			func(e *outbox.ActivationEmail) { e.Language = "" }, "Ative Play Básico",
			[]string{"Olá, João da Silva!", "Só falta confirmar a ativação"}, []string{`lang="pt-BR"`, ">Ativar Play Básico</a>", "#0b6b44"},
			[]string{"usado uma vez"}, []string{"Como usar", "<img", "src="},
		},
		"in English": {
			func(e *outbox.ActivationEmail) { e.Language = lang.English }, "Activate Play Básico",
			[]string{"Hello, João da Silva!", "All that is left is to confirm the activation"}, []string{`lang="en"`, ">Activate Play Básico now</a>"}, []string{"works once"}, nil,
		},
		"of an active service": {
			func(e *outbox.ActivationEmail) { e.Active = true }, "Seu novo link de Play Básico",
			[]string{"já está funcionando", "não é preciso confirmar nada"}, nil, nil, asks,
		},
		"with a brand": {
			func(e *outbox.ActivationEmail) {
				e.Brand = domain.Brand{Logo: []byte("\xff\xd8 stands for a JPEG image"), Color: "#0b3d91", Phone: "0800 123 4567"}
			}, "Ative Play Básico",
			[]string{"Atendimento: 0800 123 4567"}, []string{`<img src="cid:logo" alt="Provedor Açaí"`, `bgcolor="#0b3d91"`, "color:#0b3d91"}, nil, []string{"#0b6b44"},
		},
		"with instructions, which are text": {
			func(e *outbox.ActivationEmail) {
				e.Lines, e.Help = []string{"<b onclick='x'>Baixe</b> o app", "", "{{.Link}} & entre"}, "https://exemplo.com.br/?a=1&b=2"
			}, "Ative Play Básico",
			[]string{"Como usar Play Básico:"},
			[]string{"Baixe&lt;/b&gt; o app<br><br>{{.Link}} &amp; entre</p>", `<a class="link" href="https://exemplo.com.br/?a=1&amp;b=2"`},
			[]string{"Como usar Play Básico:\r\n\r\n<b onclick='x'>Baixe</b> o app\r\n\r\n{{.Link}} & entre\r\nhttps://exemplo.com.br/?a=1&b=2\r\n\r\n"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			email := testEmail(1)
			c.change(&email)
			header, parts := renderEmail(t, email)
			text, html := parts["text/plain"], parts["text/html"]
			subject, err := new(mime.WordDecoder).DecodeHeader(header.Get("Subject"))
			if err != nil || subject != c.subject {
				t.Errorf("got the subject %q, %v", subject, err)
			}
			from, err := header.AddressList("From")
			if err != nil || from[0].Name != "Provedor Açaí" {
				t.Errorf("got the sender %v, %v, want the provider's name", from, err)
			}
			both := slices.Concat(c.both, []string{email.Link, "Provedor Açaí", "Play Básico"})
			for part, want := range map[string][]string{text: slices.Concat(both, c.text), html: slices.Concat(both, c.html)} {
				for _, s := range want {
					if !strings.Contains(part, s) {
						t.Errorf("%q is missing in\n%s", s, part)
					}
				}
				for _, s := range append(c.lacks, "<script") {
					if strings.Contains(part, s) {
						t.Errorf("%q stands in\n%s", s, part)
					}
				}
			}
			if strings.Count(html, `href="`+email.Link+`"`) != 2 || strings.Contains(html, "<b onclick") {
				t.Errorf("the HTML lacks a link, or has the markup of an instruction:\n%s", html)
			}
			if parts["image/jpeg <logo>"] != string(email.Brand.Logo) {
				t.Errorf("got the parts %q, want the logo as <logo>", slices.Sorted(maps.Keys(parts)))
			}
		})
	}
}
