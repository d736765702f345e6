package cmd

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/cli"
)

type block struct {
	line     int // first line, from 1
	language string
	text     string
	marker   string // the comment above: why the block is not typed here, or which test types it
}

var (
	fence  = regexp.MustCompile("(?m)^((?:<!-- .* -->\n)?)```([a-z]*)\n((?s:.*?))^```$")
	marker = regexp.MustCompile(`(?m)^<!-- ((?:all )?(?:not run: .+|run by \w[\w.]*)) -->$`)
	isExit = regexp.MustCompile(`#.*\bexit (\d+)`)
)

// blocks returns the blocks of a page. A marker at the beginning of the page applies to each.
func blocks(page string) (all []block) {
	var ofAll string
	if m := marker.FindStringSubmatch(page); m != nil && strings.HasPrefix(m[1], "all ") {
		ofAll = strings.TrimPrefix(m[1], "all ")
	}
	for _, m := range fence.FindAllStringSubmatchIndex(page, -1) {
		b := block{1 + strings.Count(page[:m[6]], "\n"), page[m[4]:m[5]], page[m[6]:m[7]], ofAll}
		if above := marker.FindStringSubmatch(page[m[2]:m[3]]); above != nil {
			b.marker = above[1]
		}
		all = append(all, b)
	}
	return all
}

// generatedPages have tests of their own.
var generatedPages = []string{"../docs/output.md", "../docs/states.md"}

// Each block of shell commands or cron lines is typed unchanged by this test or by the one that the comment
// above names, or has a reason.
func TestDocumentationBlocksAreTyped(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the pages are written for a shell of Unix")
	}
	for path, page := range pages(t) {
		if slices.Contains(generatedPages, path) {
			continue
		}
		var typed []block
		for _, b := range blocks(page) {
			script, scripted := strings.CutPrefix(b.marker, "run by ")
			switch {
			case !slices.Contains([]string{"", "sh", "cron"}, b.language):
			case scripted && strings.HasSuffix(script, ".txtar"):
				isTyped(t, path, b, script)
			case b.marker == "":
				typed = append(typed, b)
			}
		}
		if len(typed) == 0 {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			newReader(t, path, page).typeAll(typed)
		})
	}
}

// isTyped checks that a script reads the block from its page, or has each of its commands.
func isTyped(t *testing.T, path string, b block, name string) {
	t.Helper()
	script := readPage(t, "testdata/script/"+name)
	if strings.Contains(script, "$DOCS/"+filepath.Base(path)) {
		return
	}
	for _, line := range calls(b.text) {
		c, _, err := newRoot(&cli.Env{Getenv: func(string) string { return "" }}).Find(shellWords(line)[1:])
		if err != nil || !strings.Contains(script, c.CommandPath()) {
			t.Errorf("%s: %s does not type %s", path, name, line)
		}
	}
}

// reader types the commands of a page in order in one shell.
type reader struct {
	*exampleFixture
	path string
}

// newReader returns a reader with the initial set-up of a page.
func newReader(t *testing.T, path, page string) reader {
	t.Helper()
	var w *exampleFixture
	if filepath.Base(path) == "operating.md" { // starts with an empty database
		w = &exampleFixture{t: t, dir: t.TempDir()}
		w.configure("http://127.0.0.1:9")
		if settings := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(page); settings != nil {
			w.write("etc/serve.yaml", settings[1])
		}
		w.write("etc/smtp-password", "secret")
		must(t, os.Chmod(filepath.Join(w.dir, "etc/smtp-password"), 0o600))
	} else {
		w = newExampleFixture(t)
	}
	sample, err := os.ReadFile("operator/sample/assinantes.csv")
	must(t, err)
	program, err := exec.LookPath("ativa")
	must(t, err)
	stand := fmt.Sprintf(standIn, program, filepath.Join(w.dir, "token"))
	for name, text := range map[string]string{
		"home/.config/ativa/config.yaml":     "context: dev\ncontexts:\n  - {name: dev, server: \"" + w.url + "\"}\n",
		"cmd/operator/sample/assinantes.csv": string(sample),
		"fatura-parceiro.csv":                "cpf;Item\n52998224725;Pacote A\n52998224725;Taxa de adesão\n",
		"bin/go":                             "#!/bin/sh\n", // already built
		"bin/ativa":                          stand,
		"ativa":                              stand,
	} {
		w.write(name, text)
	}
	if filepath.Base(path) == "api-guide.md" { // starts with the provider of serve --dev, without subscribers
		w.print(`ativa admin providers set-limit "Provedor Demo" 10`)
	}
	return reader{w, path}
}

// standIn wraps the program: serve only prints its settings because the fixture's service
// runs already, login gets its token, and the desk refuses to run without a terminal.
const standIn = `#!/bin/sh
ativa=%s
case "$1 $2" in
"serve --dev") exit 0 ;;
serve*) exec "$ativa" "$@" --print-config ;;
"login ") exec "$ativa" login --token-stdin --storage file <%s ;;
"desk ") "$ativa" desk; test $? = 2 ;;
*) exec "$ativa" "$@" ;;
esac
`

// typeAll types the blocks into one shell and checks each exit code: N from the comment
// "exit N", else 0.
func (r reader) typeAll(typed []block) {
	r.t.Helper()
	var wanted, script string // wanted has the lines of bad exit codes, with the codes
	for _, b := range typed {
		script += strings.Repeat("\n", b.line-1-strings.Count(script, "\n")) + b.text
		begin := 0 // first line of the command
		for i, line := range strings.Split(b.text, "\n") {
			if m := isExit.FindStringSubmatch(line); m != nil {
				wanted += fmt.Sprintf("%d %s\n", b.line+begin, m[1])
			}
			if !strings.HasSuffix(line, "\\") {
				begin = i + 1
			}
		}
	}
	script = strings.NewReplacer(
		"/var/backups/ativa", r.dir+"/backups", "/var/lib/ativa", r.dir, "/etc/ativa", r.dir+"/etc",
		"https://provisioning.example.com", r.url, "https://ativa.example.com", r.url, "SERVER=http://127.0.0.1:8080", "SERVER="+r.url, "$HOME/.local/state/ativa/dev.db", r.dir+"/ativa.db",
		"ATIVA_ACCESS_TOKEN=…", "ATIVA_ACCESS_TOKEN="+r.token,
		"7f3a9c2e-1", "$(ativa imports list -o name | sed -n 1p)",
	).Replace(script)
	if month := regexp.MustCompile(`--month \d{4}-\d\d`); month.MatchString(script) { // the month of the fixture
		script = month.ReplaceAllString(script, time.Now().UTC().Add(-3*time.Hour).Format("--month 2006-01"))
	}
	r.write("typed.sh", script)
	ctx, cancel := context.WithTimeout(context.Background(), 2*testTimeout)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "-c", `set -E -o pipefail
trap 'echo "$LINENO $?" >>ended' ERR
set -v; . ./typed.sh; set +v; echo over >>ended`)
	c.Dir, c.Env = r.dir, r.env
	out, _ := c.CombinedOutput() // the file holds the exit codes
	ended, _ := os.ReadFile(filepath.Join(r.dir, "ended"))
	if wanted += "over\n"; string(ended) != wanted {
		r.t.Errorf("%s: the exit codes by line are %q, want %q\n%s", r.path, ended, wanted, regexp.MustCompile(`\n{3,}`).ReplaceAll(out, []byte("\n")))
	}
}
