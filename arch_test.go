package main_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// importRules says which of our packages, and which libraries, a package may
// import. What is absent is forbidden. Test files may import anything, except
// that nothing imports cmd.
var importRules = map[string]struct{ ours, libraries []string }{
	"internal/cpf":                       {},
	"internal/lang":                      {},
	"internal/failure":                   {ours: []string{"cpf", "sheet/names", "lang", "system"}},
	"internal/formula":                   {},
	"internal/api":                       {libraries: []string{"github.com/go-json-experiment/json"}},
	"internal/histogram":                 {},
	"internal/tempfile":                  {ours: []string{"failure", "lang"}},
	"internal/service/domain":            {ours: []string{"cpf"}, libraries: []string{"golang.org/x/text"}},
	"internal/service/rules":             {ours: []string{"cpf", "service/domain"}},
	"internal/service/accounts":          {ours: []string{"cpf", "service/domain"}},
	"internal/service/reports":           {ours: []string{"cpf", "service/domain"}},
	"internal/service/store":             {ours: []string{"cpf", "service/domain", "service/rules", "service/store/searchindex", "system"}, libraries: []string{"modernc.org/sqlite", "zombiezen.com/go/sqlite", "github.com/jackc/pgx/v5", "github.com/pressly/goose/v3", "github.com/gofrs/flock", "golang.org/x/sync"}},
	"internal/service/store/searchindex": {ours: []string{"cpf", "service/domain"}},
	"internal/service/server":            {ours: []string{"api", "cpf", "histogram", "lang", "service/accounts", "service/domain", "service/reports", "service/rules", "system"}, libraries: []string{"github.com/VictoriaMetrics/metrics", "golang.org/x/net/netutil", "golang.org/x/time", "golang.org/x/sync", "github.com/standard-webhooks/standard-webhooks", "github.com/go-json-experiment/json"}},
	"internal/service/outbox":            {ours: []string{"api", "histogram", "lang", "service/domain", "system"}, libraries: []string{"github.com/wneessen/go-mail", "golang.org/x/net/idna", "github.com/standard-webhooks/standard-webhooks", "github.com/natefinch/atomic", "github.com/VictoriaMetrics/metrics"}},
	"internal/lifecycle":                 {ours: []string{"api"}},
	"internal/client":                    {ours: []string{"api", "failure", "lang", "lifecycle"}, libraries: []string{"golang.org/x/net/http/httpguts", "github.com/cenkalti/backoff/v5", "github.com/go-json-experiment/json"}},
	"internal/sheet":                     {ours: []string{"api", "cpf", "sheet/columns", "sheet/names", "sheet/xlsx", "failure", "formula", "lang", "system", "tempfile"}, libraries: []string{"github.com/gocarina/gocsv", "golang.org/x/text"}},
	"internal/sheet/columns":             {ours: []string{"api", "sheet/names"}},
	"internal/system":                    {libraries: []string{"github.com/gofrs/flock", "golang.org/x/sys", "golang.org/x/text"}},
	"internal/sheet/names":               {libraries: []string{"golang.org/x/text"}},
	"internal/sheet/xlsx":                {ours: []string{"tempfile"}, libraries: []string{"golang.org/x/text"}},
	"internal/invoice":                   {ours: []string{"api", "sheet"}},
	"internal/run":                       {ours: []string{"api", "client", "cpf", "sheet", "failure", "lang", "lifecycle", "system"}, libraries: []string{"github.com/gofrs/flock", "golang.org/x/time", "golang.org/x/sync"}},
	"internal/credentials":               {ours: []string{"api", "failure", "lang", "system"}, libraries: []string{"github.com/zalando/go-keyring"}},
	"internal/render":                    {ours: []string{"api", "cpf", "failure", "formula", "lang", "system"}, libraries: []string{"github.com/olekukonko/tablewriter", "github.com/itchyny/gojq", "go.yaml.in/yaml/v3", "github.com/mattn/go-runewidth", "golang.org/x/term", "golang.org/x/text"}},
	"internal/settings":                  {ours: []string{"failure", "lang", "system"}, libraries: []string{"github.com/spf13/viper", "github.com/spf13/pflag", "go.yaml.in/yaml/v3"}},
	"internal/cli":                       {ours: []string{"api", "client", "cpf", "credentials", "sheet", "failure", "lang", "render", "settings", "system"}, libraries: []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term"}},
	"internal/support":                   {ours: []string{"api", "client", "cpf", "lang", "lifecycle", "run", "sheet/names", "system"}},
	"cmd/desk":                           {ours: []string{"api", "cli", "client", "cpf", "sheet", "sheet/names", "failure", "lang", "lifecycle", "render", "support"}, libraries: []string{"github.com/spf13/cobra", "charm.land/bubbletea/v2", "github.com/charmbracelet/colorprofile", "github.com/charmbracelet/x/ansi", "golang.org/x/sys"}},
	"cmd/doctor":                         {ours: []string{"api", "cli", "client", "credentials", "failure", "lang", "render", "settings", "system"}, libraries: []string{"github.com/spf13/cobra"}},
	"cmd":                                {ours: []string{"api", "cli", "client", "credentials", "sheet", "sheet/columns", "failure", "invoice", "lang", "lifecycle", "render", "run", "settings", "support", "system", "tempfile", "cmd/desk", "cmd/doctor", "cmd/operator"}, libraries: []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/standard-webhooks/standard-webhooks"}},
	"cmd/operator":                       {ours: []string{"api", "cli", "client", "cpf", "credentials", "histogram", "lang", "lifecycle", "render", "service/accounts", "service/domain", "service/outbox", "service/reports", "service/rules", "service/server", "service/store", "settings", "system"}, libraries: []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/VictoriaMetrics/metrics"}},
	".":                                  {ours: []string{"cmd"}},

	"internal/simulation": {},
	"internal/bench":      {ours: []string{"cpf", "processtest", "service/store/pgcluster"}, libraries: []string{"golang.org/x/sync", "golang.org/x/sys"}},
	"internal/bench/bare": {libraries: []string{"github.com/spf13/cobra"}},
	"internal/release":    {libraries: []string{"github.com/CycloneDX/cyclonedx-go", "github.com/google/go-containerregistry", "golang.org/x/crypto"}},
}

// sources calls visit for each file of the program and of what supports its tests.
func sources(t *testing.T, visit func(dir, path string, files *token.FileSet, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata" || path == "dist"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err == nil {
			visit(filepath.ToSlash(filepath.Dir(path)), path, files, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryPackageImportsOnlyWhatItMay(t *testing.T) {
	used := map[string][]string{} // by package: what it imports
	sources(t, func(dir, path string, _ *token.FileSet, file *ast.File) {
		rule, known := importRules[dir]
		if !known && !testSupport(dir) {
			t.Errorf("%s: the package has no import rule; add one", path)
		}
		if !known {
			return
		}
		for _, spec := range file.Imports {
			name := strings.Trim(spec.Path.Value, "\"`")
			used[dir] = append(used[dir], name)
			if why := forbidden(dir, filepath.Base(path), name, rule.ours, rule.libraries); why != "" {
				t.Errorf("%s imports %s: %s", path, name, why)
			}
		}
	})
	for dir, rule := range importRules {
		for _, may := range slices.Concat(rule.ours, rule.libraries) {
			if !slices.ContainsFunc(used[dir], func(name string) bool {
				return within(name, may) || name == "ativa/internal/"+may || name == "ativa/"+may
			}) {
				t.Errorf("%s may import %s and does not: take it out of the import rule", dir, may)
			}
		}
	}
}

// What operating systems do differently stands in one package: elsewhere the numbers of
// their errors are not compared, since Windows has its own, and nothing is opened for
// appending, since Windows lets nobody truncate such a file.
func TestSystemsAreToldApartInOnePlace(t *testing.T) {
	ofASystem := regexp.MustCompile(`^(syscall\.E[A-Z0-9]+|os\.O_APPEND)$`)
	sources(t, func(dir, _ string, files *token.FileSet, file *ast.File) {
		if dir == "internal/system" || testSupport(dir) || strings.HasPrefix(dir, "internal/bench") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if from, ok := s.X.(*ast.Ident); ok && ofASystem.MatchString(from.Name+"."+s.Sel.Name) {
					t.Errorf("%s: %s.%s belongs into internal/system", files.Position(n.Pos()), from.Name, s.Sel.Name)
				}
			}
			return true
		})
	})
}

// testSupport names the packages that no part of the program imports.
func testSupport(dir string) bool {
	return slices.Contains([]string{"internal/processtest", "internal/service/servicetest", "internal/service/store/pgtest", "internal/service/store/pgcluster", "internal/api/apicheck", "internal/api/apitest", "internal/system/systemtest"}, dir)
}

func forbidden(dir, file, name string, ours, libraries []string) string {
	if inside, ok := strings.CutPrefix(name, "ativa/"); ok {
		name := strings.TrimPrefix(inside, "internal/")
		switch {
		case testSupport(inside) && dir != "internal/bench":
			return "only tests and the benchmark may"
		case !slices.Contains(ours, name):
			return "the import rule does not have it"
		case dir == "cmd" && (name == "cmd/operator" || name == "cmd/desk") && file != "root.go":
			return "only root.go may"
		}
		return ""
	}
	if !strings.Contains(strings.Split(name, "/")[0], ".") {
		return "" // the standard library
	}
	if slices.ContainsFunc(libraries, func(l string) bool { return within(name, l) }) {
		return ""
	}
	return "the import rule does not have this library"
}

// within reports whether an import path is a module's or that of a package in it.
func within(name, module string) bool { return name == module || strings.HasPrefix(name, module+"/") }

func TestTheTableOfTheDocumentationIsTheImportRule(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\|.*\\| ([^|]+) \\|$").FindAllStringSubmatch(string(page), -1) {
		described[row[1]] = row[2]
	}
	for dir, rule := range importRules {
		if dir == "." || dir == "internal/release" || dir == "internal/simulation" || strings.HasPrefix(dir, "internal/bench") {
			continue // told below the table
		}
		want := cmp.Or(strings.Join(rule.ours, ", "), "–")
		if got := described[dir]; got != want {
			t.Errorf("docs/architecture.md says that %s imports %q of ours, want %q", dir, got, want)
		}
		delete(described, dir)
	}
	for dir := range described {
		t.Errorf("docs/architecture.md describes %s, which the import rule does not know", dir)
	}
}
