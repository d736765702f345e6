package cmd

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNothingSecretOrPersonalIsTraced gives every secret and personal field a unique
// value and runs the commands with --debug: secrets appear nowhere, personal data only on
// stdout.
func TestNothingSecretOrPersonalIsTraced(t *testing.T) {
	w := newExampleFixture(t)
	personal := map[string]string{
		"name": "Canaria Passarinho", "folded name": "canaria", "email": "canaria.postal@example.com", "document": "39053344705",
		"dotted document": "390.533.447-05", "phone": "11912345678", "dotted phone": "91234-5678", "plan": "PlanoCanario",
	}
	secrets := map[string]string{
		"access token": w.token, "wrong access token": "ativa_canarywrongtoken", "token command": "canary-command",
		"proxy password": "canary-proxy-password", "activation link": "canarylink0123456789abcdefghijklmnopqrstuv",
		"webhook secret": "whsec_Y2FuYXJ5LXdlYmhvb2stc2VjcmV0LTEyMzQ=", "receiver's key": "canary-receiver-key",
	}
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer receiver.Close()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) }))
	defer proxy.Close()
	withPassword := strings.Replace(proxy.URL, "http://", "http://u:"+secrets["proxy password"]+"@", 1)
	row := personal["name"] + ";" + personal["email"] + ";" + personal["document"] + ";" + personal["phone"] + ";1\n"
	file := writeFile(t, "canary.csv", "nome;e-mail;cpf;telefone;produtos\n"+row)
	u := newUser(t, map[string]string{"ATIVA_SERVER": w.url, "ATIVA_ACCESS_TOKEN": w.token, "ATIVA_DB": "sqlite:" + filepath.Join(w.dir, "ativa.db"), webhookSecretVariable: secrets["webhook secret"]})
	doc, dotted := personal["document"], personal["dotted document"]
	create := []string{"subscribers", "create", "--name", personal["name"], "--email", personal["email"], "--document", dotted, "--phone", personal["phone"], "--plan", personal["plan"]}
	for _, args := range [][]string{
		create, create, {"subscribers", "create", "--name", "x", "--email", personal["email"] + " x", "--document", doc, "--phone", personal["phone"]},
		{"subscribers", "get", dotted}, {"subscribers", "list"}, {"subscribers", "search", "canaria", "passarinho"}, {"subscribers", "search", personal["dotted phone"]},
		{"subscribers", "update", doc, "--name", personal["name"]}, {"provision", "activate", "--product", "1", doc}, {"subscribers", "resend", doc},
		{"subscribers", "history", doc}, {"subscribers", "explain", doc}, {"provision", "change", doc, "--from", "1", "--to", "2"},
		{"provision", "suspend", "--product", "1", doc}, {"events"}, {"events", "--forward-to", receiver.URL + "/?key=" + secrets["receiver's key"]}, {"subscribers", "deliveries", doc}, {"subscribers", "resend", doc, "--product", "1"}, {"subscribers", "export"}, {"subscribers", "import", file}, {"sync", file, "--dry-run"},
		{"api", "POST", "/subscribers", "-f", "name=" + personal["name"], "-f", "document=" + doc},
		{"api", "GET", "/subscribers/" + doc}, {"api", "GET", "/subscribers?q=" + personal["plan"]}, {"api", "GET", "/activate/" + secrets["activation link"]},
		{"subscribers", "delete", doc}, {"subscribers", "delete", doc, "--yes"}, {"products", "--proxy", withPassword},
		{"doctor"}, {"auth", "status"}, {"config", "list"}, {"admin", "operations", "list"},
		{"context", "add", "c", "--server", w.url, "--token-command", "echo canary-command >/dev/null; echo " + w.token, "--proxy", withPassword},
		{"config", "list", "--context", "c"}, {"context", "list"}, {"auth", "status", "--context", "c"}, {"doctor", "--context", "c", "--timeout", "1s"},
	} {
		checkCanaries(t, u, "", args, secrets, personal)
	}
	u.env["ATIVA_ACCESS_TOKEN"] = ""
	for _, token := range []string{secrets["wrong access token"], w.token} {
		checkCanaries(t, u, token+"\n", []string{"login", "--context", "c", "--storage", "file", "--token-stdin", "--proxy", withPassword}, secrets, personal)
	}
	u.env["ATIVA_ACCESS_TOKEN"] = secrets["wrong access token"]
	checkCanaries(t, u, "", []string{"products"}, secrets, personal)
	if got := u.run(nil, "api", "GET", "/products", "--debug", "--server", w.url); !strings.Contains(got.stderr, "> POST "+w.url+"/authenticate") {
		t.Errorf("nothing is traced at all: %s", got.stderr)
	}
}

func checkCanaries(t *testing.T, u *user, in string, args []string, secrets, personal map[string]string) {
	t.Helper()
	for _, format := range [][]string{{"-o", "tsv"}, {"-o", "json"}} {
		if args[0] == "subscribers" && args[1] == "export" { // is CSV
			format = nil
		}
		got := u.run(strings.NewReader(in), slices.Concat([]string{"--debug"}, format, args)...)
		all := bearers(t, u)
		maps.Copy(all, secrets)
		for name, value := range all {
			if strings.Contains(got.stdout, value) && args[0] != "api" || strings.Contains(got.stderr, value) {
				t.Errorf("%v shows the %s:\n%s%s", args, name, got.stdout, got.stderr)
			}
		}
		for name, value := range personal {
			if strings.Contains(got.stderr, value) {
				t.Errorf("%v shows the %s:\n%s", args, name, got.stderr)
			}
		}
	}
}

func bearers(t *testing.T, u *user) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(u.env["XDG_CACHE_HOME"], "ativa", "bearer", "bearer-*.json"))
	must(t, err)
	all := map[string]string{}
	for _, path := range files {
		text, err := os.ReadFile(path)
		must(t, err)
		all["bearer "+path] = decode[struct{ Token string }](t, string(text)).Token
	}
	return all
}
