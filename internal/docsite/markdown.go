package main

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/russross/blackfriday/v2"
)

// comment is for whoever changes the page.
var comment = regexp.MustCompile(`(?m)^<!-- .* -->\n`)

// read reads a Markdown file of the clone.
func (s *site) read(source string) (*page, error) {
	text, err := fs.ReadFile(s.from, source)
	if err != nil {
		return nil, err
	}
	p := &page{source: source, Href: hrefOf(source), Title: s.titles[source], Lang: "en"}
	if strings.Contains(source, "/guia-") {
		p.Lang = "pt-BR"
	}
	tree := blackfriday.New(blackfriday.WithExtensions(blackfriday.CommonExtensions)).Parse(comment.ReplaceAll(text, nil))
	s.prepare(p, tree)
	renderer := blackfriday.NewHTMLRenderer(blackfriday.HTMLRendererParameters{Flags: blackfriday.SkipHTML})
	var b bytes.Buffer
	tree.Walk(func(n *blackfriday.Node, entering bool) blackfriday.WalkStatus {
		return renderer.RenderNode(&b, n, entering)
	})
	p.Body = template.HTML(b.String()) // of our own pages
	return p, nil
}

// prepare gives headings their names and links their place in the site, and gathers
// what the search finds.
func (s *site) prepare(p *page, tree *blackfriday.Node) {
	names := map[string]int{}
	tree.Walk(func(n *blackfriday.Node, entering bool) blackfriday.WalkStatus {
		switch {
		case !entering:
		case n.Type == blackfriday.Heading:
			heading := textOf(n)
			n.HeadingID = anchor(heading, names)
			p.sections = append(p.sections, section{Href: p.Href + "#" + n.HeadingID, Page: p.Title, Heading: heading})
		case n.Type == blackfriday.Link, n.Type == blackfriday.Image:
			file, _, _ := strings.Cut(string(n.Destination), "#")
			if title := s.titles[path.Join(path.Dir(p.source), file)]; title != "" && path.Base(textOf(n)) == path.Base(file) {
				n.FirstChild.Literal = []byte(title)
			}
			n.Destination = []byte(s.link(p, string(n.Destination)))
		case n.Literal != nil && len(p.sections) > 0 && !within(n, blackfriday.Heading):
			last := &p.sections[len(p.sections)-1]
			last.Text = strings.TrimSpace(last.Text + " " + strings.Join(strings.Fields(string(n.Literal)), " "))
		}
		return blackfriday.GoToNext
	})
}

func within(n *blackfriday.Node, kind blackfriday.NodeType) bool {
	for ; n != nil; n = n.Parent {
		if n.Type == kind {
			return true
		}
	}
	return false
}

func textOf(n *blackfriday.Node) string {
	var b strings.Builder
	n.Walk(func(n *blackfriday.Node, _ bool) blackfriday.WalkStatus {
		b.Write(n.Literal)
		return blackfriday.GoToNext
	})
	return b.String()
}

// anchor is how GitHub names a heading, so that links work there and here.
func anchor(heading string, names map[string]int) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
	names[name]++
	if n := names[name]; n > 1 {
		return fmt.Sprintf("%s-%d", name, n-1)
	}
	return name
}
