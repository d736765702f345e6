package operator

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"ativa/internal/cli"
)

// docs/compose/compose.yaml sets only valid variables of `ativa serve`, and names at its
// beginning the variables that .env must set.
func TestTheComposeFileSetsWhatTheServiceReads(t *testing.T) {
	text := string(page(t, "compose/compose.yaml"))
	var file struct {
		Services map[string]struct {
			Environment map[string]string
		}
	}
	must(t, yaml.Unmarshal([]byte(text), &file))
	values := map[string]string{"ATIVA_HOST": "ativa.example.com", "POSTGRES_PASSWORD": "secret", "ATIVA_SMTP": "smtp://ativa@smtp.example.com:587",
		"ATIVA_SMTP_PASSWORD": "secret", "ATIVA_MAIL_FROM": "ativacao@example.com"}
	head, _, _ := strings.Cut(text, "\nname:")
	for _, m := range regexp.MustCompile(`\$\{(\w+)`).FindAllStringSubmatch(text, -1) {
		if values[m[1]] == "" || !strings.Contains(head, m[1]+"=") {
			t.Errorf("%s: the head of the file does not name it", m[1])
		}
	}
	for _, name := range []string{"ativa1", "ativa2"} {
		env := map[string]string{}
		for key, value := range file.Services[name].Environment {
			env[key] = regexp.MustCompile(`\$\{(\w+)[^}]*\}`).ReplaceAllStringFunc(value, func(v string) string {
				return values[regexp.MustCompile(`\w+`).FindString(v)]
			})
		}
		printed := printConfig(t, env)
		for key, value := range env {
			setting := strings.ToLower(strings.TrimPrefix(key, "ATIVA_"))
			if strings.HasPrefix(key, "ATIVA_") && !strings.Contains(key, "PASSWORD") && !regexp.MustCompile(`(?m)^`+setting+`\t`+regexp.QuoteMeta(value)+`\tenvironment\t`+key+`$`).MatchString(printed) {
				t.Errorf("%s: %s=%s is not among what counts:\n%s", name, key, value, printed)
			}
		}
	}
}

func printConfig(t *testing.T, env map[string]string) string {
	t.Helper()
	var out, errs strings.Builder
	root := &cobra.Command{Use: "ativa"}
	e := &cli.Env{Out: &out, Err: &errs, In: os.Stdin, Getenv: func(name string) string { return env[name] }}
	root.AddGroup(&cobra.Group{ID: "service"})
	root.AddCommand(NewServe(e))
	root.SetArgs([]string{"serve", "--print-config"})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	return out.String()
}
