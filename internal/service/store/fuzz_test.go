package store_test

import (
	"strings"
	"testing"

	"ativa/internal/service/store"
)

// No error contains the password or the host of a database's URL, whatever surrounds them.
func FuzzDSN(f *testing.F) {
	for _, after := range []string{
		"@db/ativa", "@db:5432/ativa?sslmode=disable", "@db:x/ativa", "/x@db/ativa", "#x@db/ativa", "?x@db/ativa", "%x@db/ativa", " x@db/ativa", "@db@db/ativa",
		"@a,b:1,c/ativa?target_session_attrs=any", "", "[@db/ativa", "@[::1]:5432/ativa", "`: (@db", "@/ativa?host=/run/postgresql", "\x01@db/ativa",
	} {
		f.Add("postgres://ativa:", after)
		f.Add("postgresql://ativa:x", after)
		f.Add("postgres://ativa:x@y", after)
		f.Add("postgres://ativa@db/ativa?password=", after)
		f.Add("sqlite:", after)
		f.Add("", after)
		f.Add("mysql://ativa:", after)
	}
	const password = "Qz7kPassword"
	f.Fuzz(func(t *testing.T, before, after string) {
		path, onPostgres, err := store.ParseDSN(before + password + after)
		if err != nil || !onPostgres {
			if (err == nil) == (path == "") {
				t.Errorf("got the path %q, %v", path, err)
			}
			return
		}
		_, rest, _ := strings.Cut(before, "://")
		user, shown, isPassword := strings.Cut(rest, ":")
		if !isPassword || strings.ContainsAny(user, "@/?#") || strings.ContainsAny(shown, "@/?#") || before+password+after != strings.ToValidUTF8(before+password+after, "") {
			return // it may be the name of the user, of a host or a database
		}
		hosts, err := store.ParsePostgres(before + password + after)
		if err != nil && strings.Contains(err.Error(), password) {
			t.Errorf("the error holds the password: %v", err)
		}
		for _, host := range hosts {
			if strings.Contains(host, password) {
				t.Errorf("the password is taken for the host %q", host)
			}
		}
	})
}
