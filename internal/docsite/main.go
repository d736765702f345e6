// Command docsite writes the manual as web pages that need neither a server nor a
// network: docs/*.md, docs/cli and the pages beside the README, with a side bar and a
// search over all of them. It decides how pages are called and joined; what stands in
// them is the Markdown's, and their style is that of /docs.
//
//	go run ./internal/docsite -to site
package main

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"html/template"
	"io/fs"
	"log"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	//go:embed page.html.tmpl
	pageTemplate string
	//go:embed search.js
	searchScript []byte
)

// style is shared with the page /docs of the service.
const style = "internal/server/testdata/docs.css"

func main() {
	from := flag.String("from", ".", "the clone")
	to := flag.String("to", "site", "the directory to write, which is emptied first")
	flag.Parse()
	if err := build(*from, *to); err != nil {
		log.Fatal(err)
	}
}

// page is a Markdown file as it is read and shown.
type page struct {
	source   string // its path in the clone, with slashes
	Href     string // its path in the site
	Title    string
	Lang     string
	Body     template.HTML
	sections []section
}

// section is what the search finds: a heading with the text below it.
type section struct {
	Href    string `json:"href"`
	Page    string `json:"page"`
	Heading string `json:"heading"`
	Text    string `json:"text"`
}

// site is the manual while it is made.
type site struct {
	from   fs.FS             // the clone
	titles map[string]string // of the pages by source
	files  map[string]bool   // which the pages link to, to be copied
}

func build(from, to string) error {
	s := &site{from: os.DirFS(from), titles: map[string]string{}, files: map[string]bool{}}
	manual, err := s.sources("docs/*.md", "*.md")
	if err != nil {
		return err
	}
	commands, err := s.sources("docs/cli/*.md")
	if err != nil {
		return err
	}
	var pages []*page
	for _, source := range slices.Concat(manual, commands) {
		p, err := s.read(source)
		if err != nil {
			return err
		}
		pages = append(pages, p)
	}
	if err := inOrder(pages[:len(manual)]); err != nil {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return s.write(to, pages[:len(manual)], pages[len(manual):])
}

// sources are the paths of pages, whose titles are kept.
func (s *site) sources(patterns ...string) (all []string, err error) {
	title := regexp.MustCompile(`(?m)^#+ (.*)$`)
	for _, pattern := range patterns {
		found, err := fs.Glob(s.from, pattern)
		if err != nil {
			return nil, err
		}
		for _, source := range found {
			text, err := fs.ReadFile(s.from, source)
			if err != nil {
				return nil, err
			}
			first := title.FindSubmatch(text)
			if first == nil {
				return nil, fmt.Errorf("%s: it has no title", source)
			}
			s.titles[source] = string(first[1])
		}
		all = append(all, found...)
	}
	return all, nil
}

// inOrder puts the index first, then the pages as it leads to them. One that it
// forgets is an error.
func inOrder(manual []*page) error {
	index := slices.IndexFunc(manual, func(p *page) bool { return p.Href == "index.html" })
	body := string(manual[index].Body)
	place := func(p *page) int { return strings.Index(body, `href="`+p.Href) } // -1: the index, or forgotten
	slices.SortStableFunc(manual, func(a, b *page) int { return place(a) - place(b) })
	for _, p := range manual {
		if place(p) < 0 && p.Href != "index.html" {
			return fmt.Errorf("docs/README.md does not lead to %s", p.source)
		}
	}
	return nil
}

// hrefOf is the path in the site of a file of the clone.
func hrefOf(source string) string {
	switch source {
	case "docs/README.md":
		return "index.html"
	case "README.md":
		return "ativa.html"
	}
	href := strings.TrimPrefix(source, "docs/")
	if name, ok := strings.CutSuffix(href, ".md"); ok {
		return strings.ToLower(name) + ".html"
	}
	return href
}

// write writes the pages, what the search knows of them, and the files beside them.
func (s *site) write(to string, manual, commands []*page) error {
	layout, err := template.New("").Parse(pageTemplate)
	if err != nil {
		return err
	}
	var sections []section
	for _, p := range slices.Concat(manual, commands) {
		sections = append(sections, p.sections...)
		var b strings.Builder
		root := strings.Repeat("../", strings.Count(p.Href, "/"))
		if err := layout.Execute(&b, map[string]any{"Page": p, "Root": root, "Manual": manual, "Commands": commands}); err != nil {
			return err
		}
		if err := put(to, p.Href, []byte(b.String())); err != nil {
			return err
		}
	}
	known, err := json.Marshal(sections)
	if err != nil {
		return err
	}
	if err := put(to, "search.js", fmt.Appendf(nil, "const sections = %s;\n%s", known, searchScript)); err != nil {
		return err
	}
	css, err := fs.ReadFile(s.from, style)
	if err != nil {
		return err
	}
	if err := put(to, "style.css", css); err != nil {
		return err
	}
	for source := range s.files {
		text, err := fs.ReadFile(s.from, source)
		if err != nil {
			return err
		}
		if err := put(to, hrefOf(source), text); err != nil {
			return err
		}
	}
	return nil
}

func put(to, href string, text []byte) error {
	file := filepath.Join(to, filepath.FromSlash(href))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// link is a link of a page as it stands in the site; files that are no pages are copied.
func (s *site) link(p *page, destination string) string {
	file, anchor, hasAnchor := strings.Cut(destination, "#")
	if file == "" || strings.Contains(destination, "://") {
		return destination
	}
	source := path.Join(path.Dir(p.source), file)
	if !strings.HasSuffix(source, ".md") {
		s.files[source] = true
	}
	href, err := filepath.Rel(filepath.FromSlash(path.Dir(p.Href)), filepath.FromSlash(hrefOf(source)))
	if err != nil { // both are relative paths
		panic(err)
	}
	if hasAnchor {
		href += "#" + anchor
	}
	return filepath.ToSlash(href)
}
