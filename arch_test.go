package main_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms is the import rule of the house: which of our packages, and which
// libraries, a package may name. What is absent is forbidden. Test files may
// name anything, except that nothing imports cmd.
var rooms = map[string]struct{ ours, libraries []string }{
	"internal/cpf":          {},
	"internal/lang":         {},
	"internal/formula":      {},
	"internal/api":          {},
	"internal/provision":    {ours: []string{"cpf"}},
	"internal/store":        {ours: []string{"provision", "cpf"}, libraries: []string{"modernc.org/sqlite", "github.com/jackc/pgx/v5", "github.com/pressly/goose/v3", "github.com/gofrs/flock"}},
	"internal/server":       {ours: []string{"api", "provision", "cpf"}, libraries: []string{"github.com/VictoriaMetrics/metrics", "golang.org/x/time", "github.com/standard-webhooks/standard-webhooks"}},
	"internal/delivery":     {ours: []string{"provision"}, libraries: []string{"github.com/wneessen/go-mail", "github.com/standard-webhooks/standard-webhooks", "github.com/natefinch/atomic", "github.com/VictoriaMetrics/metrics"}},
	"internal/client":       {ours: []string{"api"}, libraries: []string{"github.com/cenkalti/backoff/v5"}},
	"internal/csvfile":      {ours: []string{"api", "cpf", "formula"}, libraries: []string{"github.com/gocarina/gocsv", "golang.org/x/text", "github.com/xuri/excelize/v2"}},
	"internal/bulk":         {ours: []string{"api", "client", "csvfile"}, libraries: []string{"github.com/gofrs/flock", "github.com/cenkalti/backoff/v5", "github.com/google/renameio/v2", "golang.org/x/time", "golang.org/x/sync"}},
	"internal/credentials":  {libraries: []string{"github.com/zalando/go-keyring", "github.com/gofrs/flock", "github.com/google/renameio/v2"}},
	"internal/render":       {ours: []string{"api", "formula"}, libraries: []string{"github.com/olekukonko/tablewriter", "github.com/itchyny/gojq", "go.yaml.in/yaml/v3", "github.com/mattn/go-runewidth", "github.com/schollz/progressbar/v3", "golang.org/x/term"}},
	"internal/bench":        {ours: []string{"cpf", "store/pgcluster"}, libraries: []string{"github.com/jackc/pgx/v5"}},
	"internal/bench/bare":   {libraries: []string{"github.com/spf13/cobra"}},
	"internal/bench/launch": {},
	"cmd":                   {ours: []string{"*"}, libraries: []string{"*"}},
	".":                     {ours: []string{"cmd"}},
}

// operatorFiles are the files of cmd that may name the service's own rooms.
func operatorFile(name string) bool {
	return strings.HasPrefix(name, "serve") || strings.HasPrefix(name, "admin") || strings.HasPrefix(name, "demo")
}

var serviceRooms = []string{"provision", "store", "server", "delivery"}

func TestEveryPackageImportsOnlyWhatItsRoomMay(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata" || path == "dist") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		checkFile(t, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkFile(t *testing.T, path string) {
	t.Helper()
	dir := filepath.ToSlash(filepath.Dir(path))
	room, known := rooms[dir]
	if !known {
		if !testSupport(dir) {
			t.Errorf("%s: the package has no row in rooms; add it to the import rule", path)
		}
		return
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Error(err)
			continue
		}
		if why := forbidden(dir, filepath.Base(path), name, room.ours, room.libraries); why != "" {
			t.Errorf("%s imports %s: %s", path, name, why)
		}
	}
}

// testSupport names the packages that no part of the program imports.
func testSupport(dir string) bool {
	return dir == "internal/store/pgtest" || dir == "internal/store/pgcluster" || dir == "internal/api/apicheck"
}

func forbidden(dir, file, name string, ours, libraries []string) string {
	if inside, ok := strings.CutPrefix(name, "ativa/"); ok {
		room := strings.TrimPrefix(inside, "internal/")
		switch {
		case testSupport(inside) && dir != "internal/bench":
			return "only tests and the benchmark may"
		case !slices.Contains(ours, "*") && !slices.Contains(ours, room):
			return "the room may not name it"
		case dir == "cmd" && slices.Contains(serviceRooms, room) && !operatorFile(file):
			return "only serve*.go, admin*.go and demo*.go may"
		}
		return ""
	}
	if !strings.Contains(strings.Split(name, "/")[0], ".") || slices.Contains(libraries, "*") {
		return "" // the standard library
	}
	for _, l := range libraries {
		if name == l || strings.HasPrefix(name, l+"/") {
			return ""
		}
	}
	return "the room may not use this library"
}
