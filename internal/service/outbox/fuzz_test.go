package outbox_test

import (
	"net/url"
	"strings"
	"testing"

	"ativa/internal/service/outbox"
)

// The URL of a mail server is accepted without losing a setting, or refused without repeating it.
func FuzzMailServer(f *testing.F) {
	for _, after := range []string{
		"@mail.example:587", "@mail.example:465/?helo=a.example", "@mail.example:x", "@mail.example:70000", "/x@mail.example", "#x@mail.example", "%x@mail.example",
		"@localhost?starttls=required", "@localhost?starttls=required%zz", "@localhost?starttls=required;helo=x", "@localhost?starttls=no", "@[::1]:25", "@", "",
		"@mail.example?ca=/nowhere", "@mail.example?unknown=1", "@mail.example?helo=a&helo=b",
	} {
		for _, before := range []string{"smtp://ativa:", "smtps://ativa:", "smtp://:", "http://ativa:", "smtp:ativa:", ""} {
			f.Add(before, after, "")
			f.Add(before, after, "other")
		}
	}
	const password = "Qz7kPassword"
	f.Fuzz(func(t *testing.T, before, after, other string) {
		text := before + password + after
		if strings.Contains(text, "ca=") && !strings.Contains(text, "ca=/nowhere") {
			return // it may name any file
		}
		_, err := outbox.ParseMailServer(text, other)
		if err != nil {
			if strings.Contains(err.Error(), password) && !strings.Contains(after, "ca=") {
				t.Errorf("the error contains the password: %v", err)
			}
			return
		}
		u, err := url.Parse(text)
		if err != nil {
			t.Fatalf("%q is accepted and is no URL: %v", text, err)
		}
		q, err := url.ParseQuery(u.RawQuery)
		if err != nil {
			t.Errorf("%q is accepted with invalid options: %v", text, err)
		}
		for name, values := range q {
			if len(values) != 1 {
				t.Errorf("%q is accepted with %s twice", text, name)
			}
		}
	})
}
