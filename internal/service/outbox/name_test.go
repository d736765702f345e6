package outbox_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"mime"
	"net/mail"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
	"ativa/internal/service/rules"
)

// oddNames returns names that decisions.md 7 accepts and that are hard to write in a header.
func oddNames() []string {
	return []string{
		`Rede 42" TV`, `Loja 42" Silva`, `José "Zé" Silva`, `"`, `""`, `Ana\`, `\"`, `a","b`, `a"@b`, `Silva, João; Souza: <x@example.com>`,
		`(comentário`, `A. B. (C) <D>`, `=?utf-8?q?nome?=`, `José =?utf-8?b?eA==?=`, `.`, `,`, `@`, `a b`, "zero\u200dwidth",
		"محمد بن سلمان", "אבגד 12 \"x\"", "日本語の名前", "😀", "José\u202eavliS", "a\u2028b", "a\u00a0b",
		strings.Repeat("a", 255), strings.Repeat("\"", 255), strings.Repeat("\\", 255), strings.Repeat("é", 255), strings.Repeat("😀", 255),
		strings.Repeat("ab ", 84) + "abc", "a" + strings.Repeat(" ", 253) + "b", strings.Repeat("a", 100) + "  " + strings.Repeat("b", 100),
	}
}

// wantNames checks the addresses and subjects of received e-mails, by recipient. A run of spaces in a
// header counts as one.
func wantNames(t *testing.T, got []*mail.Message, want map[string]outbox.ActivationEmail) {
	t.Helper()
	spaced := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if len(got) != len(want) {
		t.Errorf("%d e-mails arrived, want %d", len(got), len(want))
	}
	for _, m := range got {
		to, err := m.Header.AddressList("To")
		if err != nil || len(to) != 1 {
			t.Errorf("got the recipient %q, %v", m.Header.Get("To"), err)
			continue
		}
		email := want[to[0].Address]
		from, err := m.Header.AddressList("From")
		if err != nil || len(from) != 1 || *from[0] != (mail.Address{Name: spaced(email.Provider), Address: "ativacao@provedor.example"}) || to[0].Name != spaced(email.Name) {
			t.Errorf("got the names %q and %q, %v, want %q and %q", m.Header.Get("From"), m.Header.Get("To"), err, email.Provider, email.Name)
		}
		if strings.HasPrefix(email.Product, "=?") {
			continue // a subject is plain text, so a reader decodes this one
		}
		subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
		if want := spaced("Ative " + email.Product); err != nil || subject != want {
			t.Errorf("got the subject %q, %v, want %q", subject, err, want)
		}
	}
}

// randomNames returns names of characters that are special in a header, and of several scripts,
// directions and widths.
func randomNames(n int) []string {
	r := rand.New(rand.NewPCG(18, 7))
	runes := []rune("\"\"\\\\,;:<>()[]@.=?_ \u00a0\u2028\u200b\u200d\u202e\u2066'%&~abcxyzÀéçñßøЖѫאבשعربي日本語😀👩\u0301\ufffe\U0010fffd")
	all := make([]string, n)
	for i := range all {
		name := make([]rune, 1+r.IntN(255))
		for k := range name {
			name[k] = runes[r.IntN(len(runes))]
		}
		name[0], name[len(name)-1] = '"', runes[r.IntN(8)] // no space at either end, which would be trimmed
		all[i] = string(name)
	}
	return all
}

// Every accepted name of a subscriber, product or provider arrives.
func TestEveryAcceptedNameArrives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, manual)
		m := f.serveMail()
		want := map[string]outbox.ActivationEmail{}
		for i, name := range append(oddNames(), randomNames(60)...) {
			shown := strings.NewReplacer("\u202e", "", "\u2066", "", "\u2028", "").Replace(name) // refused to operators
			f.must(f.manager.CreateProduct(context.Background(), domain.Product{ID: 100 + i, Name: shown, Code: fmt.Sprint(i), Active: true, Can: domain.CanAll}))
			p := f.createProvider(shown)
			row := f.registration(100 + i)
			row.Name = domain.Some(name)
			results, err := f.manager.Import(context.Background(), rules.Call{Provider: p.ID}, []rules.Registration{row})
			if err != nil || results[0].Kind != rules.ResultCreated {
				t.Errorf("%q: got %+v, %v, want it registered", name, results, err)
			}
			want[row.Email.Value] = outbox.ActivationEmail{Name: name, Provider: shown, Product: shown}
		}
		f.start()
		advance(time.Minute)
		wantNames(t, m.arrived(), want)
	})
}

// sendNames sends an e-mail for each name, and returns those that arrive if each name is written as given.
func sendNames(t *testing.T, s *outbox.SMTPMailer, written map[string]string) map[string]outbox.ActivationEmail {
	t.Helper()
	want := map[string]outbox.ActivationEmail{}
	for name, shown := range written {
		email := testEmail(len(want))
		email.To, email.Name, email.Provider = fmt.Sprintf("a%d@example.com", len(want)), name, name
		must(t, s.Send(t.Context(), email))
		email.Name, email.Provider = shown, shown
		want[email.To] = email
	}
	s.Idle()
	return want
}

// A name that no header can contain is omitted.
func TestANameThatCannotBeWrittenLeavesTheBareAddress(t *testing.T) {
	m := newMailServer(t)
	want := sendNames(t, m.mailer(t, "smtp://127.0.0.1"), map[string]string{
		"Rede\r\nBcc: x@example.com": "Rede Bcc: x@example.com", "Rede\x00TV": "", "\x1b[31mRede": "", "Rede\u0085TV": "Rede TV", "Rede\x7f": "", "Rede\xff": "",
	})
	wantNames(t, m.got, want)
}

func TestEximAcceptsEveryName(t *testing.T) {
	t.Parallel()
	m, written := newMailServer(t), map[string]string{}
	for _, name := range oddNames() {
		written[name] = name
	}
	want := sendNames(t, m.behindExim(t), written)
	eventually(t, "the e-mails", func() bool { return len(m.arrived()) == len(want) })
	wantNames(t, m.arrived(), want)
}
