package outbox_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"mime"
	"net/mail"
	"slices"
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

// wantNames checks the two addresses and the subject of a received e-mail. A run of spaces in a
// header counts as one.
func wantNames(t *testing.T, m *mail.Message, email outbox.ActivationEmail) {
	t.Helper()
	spaced := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for header, want := range map[string]mail.Address{
		"From": {Name: spaced(email.Provider), Address: "ativacao@provedor.example"}, "To": {Name: spaced(email.Name), Address: email.To},
	} {
		got, err := m.Header.AddressList(header)
		if err != nil || len(got) != 1 || *got[0] != want {
			t.Errorf("%s: got %q, %v, want %q", header, m.Header.Get(header), err, want.String())
		}
	}
	if strings.HasPrefix(email.Product, "=?") {
		return // a subject is plain text, so a reader decodes this one
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if want := spaced("Ative " + email.Product); err != nil || subject != want {
		t.Errorf("got the subject %q, %v, want %q", subject, err, want)
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
		register := func(p domain.Provider, product domain.Product, name string) {
			row := f.registration(product.ID)
			row.Name = domain.Some(name)
			results, err := f.manager.Import(context.Background(), rules.Call{Provider: p.ID}, []rules.Registration{row})
			f.must(err)
			if results[0].Kind != rules.ResultCreated {
				t.Errorf("%q: got %+v, want it registered", name, results[0])
			}
			to := row.Email.Value
			want[to] = outbox.ActivationEmail{To: to, Name: name, Provider: p.Name, Product: product.Name}
		}
		plain := domain.Product{ID: 1, Name: "Play 1"}
		names := append(oddNames(), randomNames(60)...)
		for i, name := range names {
			register(f.defaultProvider, plain, name)
			name = strings.NewReplacer("\u202e", "", "\u2066", "", "\u2028", "").Replace(name) // refused to operators
			product := domain.Product{ID: 100 + i, Name: name, Code: fmt.Sprint(i), Active: true, Can: domain.CanAll}
			f.must(f.manager.CreateProduct(context.Background(), product))
			register(f.defaultProvider, product, "Ana")
			p, _, err := f.manager.CreateProvider(context.Background(), domain.Provider{Name: name, Limit: 10, AllProducts: true})
			f.must(err)
			register(p, plain, "Ana")
		}
		f.start()
		advance(time.Minute)
		f.stop()
		if m.arrived() != 3*len(names) || len(want) != 3*len(names) {
			t.Errorf("%d e-mails arrived, want %d", m.arrived(), 3*len(names))
		}
		for _, got := range m.got {
			to, err := got.Header.AddressList("To")
			must(t, err)
			wantNames(t, got, want[to[0].Address])
		}
	})
}

// A name that no header can contain is omitted.
func TestANameThatCannotBeWrittenLeavesTheBareAddress(t *testing.T) {
	m := newMailServer(t)
	s := mailerTo(t, "smtp://127.0.0.1:25", "", m.listen(t, false))
	for i, c := range []struct{ name, want string }{
		{"Rede\r\nBcc: x@example.com", "Rede Bcc: x@example.com"}, {"Rede\x00TV", ""}, {"\x1b[31mRede", ""}, {"Rede\u0085TV", "Rede TV"}, {"Rede\x7f", ""}, {"Rede\xff", ""},
	} {
		email := testEmail(i)
		email.Name, email.Provider, email.Product = c.name, c.name, c.name
		if err := s.Send(t.Context(), email); err != nil {
			t.Errorf("%q: %v", c.name, err)
			continue
		}
		got := m.got[len(m.got)-1].Header
		for header, address := range map[string]string{"From": "ativacao@provedor.example", "To": email.To} {
			if list, err := m.got[len(m.got)-1].Header.AddressList(header); err != nil || len(list) != 1 || *list[0] != (mail.Address{Name: c.want, Address: address}) {
				t.Errorf("%q: got %s: %q, %v, want the name %q", c.name, header, got.Get(header), err, c.want)
			}
		}
		if got.Get("Bcc") != "" || strings.ContainsAny(got.Get("Subject"), "\x00\x1b\x7f") {
			t.Errorf("%q: got the header %q", c.name, got)
		}
	}
}

func TestEximAcceptsEveryName(t *testing.T) {
	t.Parallel()
	addr, ca, box := startExim(t)
	s := mailerTo(t, "smtp://"+mailUser+":"+mailPassword+"@mail.example.com:587?ca="+ca, "", addr)
	names := oddNames()
	sent := map[string]outbox.ActivationEmail{}
	for i, name := range names {
		email := testEmail(i)
		email.To = fmt.Sprintf("nome%d@example.com.br", i)
		email.Name, email.Provider, email.Product = name, names[(i+1)%len(names)], names[(i+2)%len(names)]
		sent[email.To] = email
		if err := s.Send(t.Context(), email); err != nil {
			t.Errorf("%.40q: %v", name, err)
		}
	}
	s.Idle()
	for to, m := range readMaildir(t, box, len(names)) {
		wantNames(t, m, sent[to])
		encrypted := slices.ContainsFunc(m.Header["Received"], func(r string) bool { return strings.Contains(r, "esmtpsa") })
		if from := m.Header.Get("Return-Path"); !encrypted || from != "<ativacao@provedor.example>" {
			t.Errorf("%s: got it encrypted and authenticated %t, from %s", to, encrypted, from)
		}
	}
}
