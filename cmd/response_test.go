package cmd

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"ativa/internal/cli"
)

func TestMachineOutputSaysSuccessWithExitCode0Alone(t *testing.T) {
	t.Parallel()
	for _, answer := range []struct {
		status int
		body   string
	}{
		{http.StatusUnauthorized, `{"message":"no"}`}, {http.StatusForbidden, `{"response":"success"}`}, {http.StatusOK, `{"response":`}, {http.StatusNotImplemented, ""}, {http.StatusServiceUnavailable, ""},
		{http.StatusUnprocessableEntity, `{"message":"the given data was invalid"}`}, {http.StatusOK, `{"response":"success"}`},
	} {
		for _, line := range []string{
			"provision suspend --product p 52998224725", "provision suspend --product p --file DOCUMENTS",
			"provision suspend --product p --status active --yes --max-changes 100%", "subscribers resend --status active --product p --yes --max-changes 100%",
			"subscribers resend 52998224725", "provision change 52998224725 --from 25 --to 26",
			"subscribers import PEOPLE", "sync PEOPLE --yes", "api POST /provision/suspend -f contentSupplierProduct=25",
			"subscribers update 52998224725 --plan Fibra", "doctor",
		} {
			t.Run(line, func(t *testing.T) {
				t.Parallel()
				people := writeFile(t, "people.csv", "nome,e-mail,cpf,telefone,produtos\nBia,bia@example.com,10000000108,11987654321,25\n")
				documents := writeFile(t, "documents.csv", "cpf\n52998224725\n10000000108\n")
				u, s := minimalServer(t, entry(25, "active"))
				s.Answer = writesAnswered(func(w http.ResponseWriter) {
					w.WriteHeader(answer.status)
					_, _ = w.Write([]byte(answer.body))
				})
				args := append(strings.Fields(strings.NewReplacer("PEOPLE", people, "DOCUMENTS", documents).Replace(line)), "-o", "json")
				if strings.HasPrefix(line, "subscribers import") || strings.Contains(line, "--status") {
					args = append(args, "--report-dir", t.TempDir())
				}
				got := u.run(nil, args...)
				name := fmt.Sprintf("%s, HTTP %d %q", line, answer.status, answer.body)
				var doc struct{ Response string }
				if got.stdout != "" && json.Unmarshal([]byte(got.stdout), &doc) != nil && !strings.HasPrefix(line, "api ") {
					t.Errorf("%s: got %q, want JSON", name, got.stdout)
				}
				if got.exit == cli.ExitUsage {
					t.Errorf("%s: %s", name, got.stderr)
				}
				if got.exit != cli.ExitOK && doc.Response != "error" && doc.Response != "partial" && got.stdout != "" && (doc.Response != "" || !strings.HasPrefix(line, "api ")) {
					t.Errorf("%s: exit %d with the response %q", name, got.exit, doc.Response)
				}
				if got.exit == cli.ExitOK && doc.Response != "" && doc.Response != "success" {
					t.Errorf("%s: exit 0 with the response %q", name, doc.Response)
				}
			})
		}
	}
}
