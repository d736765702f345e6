package cmd

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// anchors returns the link targets of a page, named like GitHub does.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	withoutBlocks := regexp.MustCompile("(?ms)^```.*?^```").ReplaceAllString(page, "")
	for _, m := range regexp.MustCompile(`(?m)^#+ +(.*)$`).FindAllStringSubmatch(withoutBlocks, -1) {
		all[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])] = true
	}
	return all
}

// Every link leads to an existing file and heading of the repository: the pages work
// offline. The index leads to every page.
func TestDocumentationLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	const index = "../docs/README.md"
	byHand := pages(t)
	all := maps.Clone(byHand)
	generated, err := filepath.Glob("../docs/cli/*.md")
	must(t, err)
	for _, path := range generated {
		all[path] = readPage(t, path)
	}
	indexed, seen := map[string]bool{index: true}, 0
	for path, page := range all {
		for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(page, -1) {
			seen++
			if strings.Contains(m[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			indexed[filepath.ToSlash(target)] = indexed[filepath.ToSlash(target)] || path == index
			text, err := os.ReadFile(target)
			if info, statErr := os.Stat(target); err != nil && (statErr != nil || !info.IsDir()) {
				t.Errorf("%s: the link %s leads nowhere", path, m[1])
			}
			if anchor != "" && !anchors(string(text))[anchor] {
				t.Errorf("%s: the link %s: there is no such heading", path, m[1])
			}
		}
	}
	for path := range byHand {
		if !indexed[path] {
			t.Errorf("docs/README.md does not lead to %s", path)
		}
	}
	if seen < 300 {
		t.Errorf("only %d links were found", seen)
	}
}

func TestDocumentationNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	var tests strings.Builder
	of := map[string]string{} // those of each package
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			tests.WriteString(readPage(t, path))
			of[filepath.ToSlash(filepath.Dir(path))[1:]] += readPage(t, path)
		}
		return err
	})
	must(t, err)
	named := 0
	for path, page := range pages(t) {
		for _, m := range regexp.MustCompile(`go test (?:-timeout 0 )?((?:\./\S+ )+)-run '?([\w|\\]+)`).FindAllStringSubmatch(page, -1) {
			named++
			var found string
			for _, directory := range strings.Fields(m[1]) {
				found += of[directory]
			}
			for _, pattern := range strings.Split(strings.ReplaceAll(m[2], `\|`, "|"), "|") {
				if !regexp.MustCompile(`\nfunc (Test|Fuzz)\w*` + strings.TrimPrefix(pattern, "Test")).MatchString(found) {
					t.Errorf("%s: %s has no test %s", path, m[1], pattern)
				}
			}
		}
		for _, m := range regexp.MustCompile("(?:`|run by )(Test[A-Z]\\w+)").FindAllStringSubmatch(page, -1) {
			named++
			if !strings.Contains(tests.String(), "\nfunc "+m[1]+"(") {
				t.Errorf("%s: there is no test %s", path, m[1])
			}
		}
	}
	if named < 100 {
		t.Errorf("only %d tests are named", named)
	}
}
