package sheet

import (
	"regexp"
	"strings"

	"ativa/internal/failure"
	"ativa/internal/lang"
)

// Error returns the place and the reason, without the value.
func (p *Problem) Error() string { return p.Text(lang.English) }

// Text returns the problem and its place in the file.
func (p *Problem) Text(l lang.Language) string {
	if p.Line == 0 {
		return p.ReasonText(l)
	}
	return p.PlaceText(l) + ": " + p.ReasonText(l)
}

// Outcome returns the outcome for a file or a flag that must be corrected.
func (p *Problem) Outcome() failure.Outcome {
	o := failure.Outcome{Exit: failure.ExitInvalidInput, Code: p.Code, Hint: lang.Msg("see `ativa help csv`")}
	switch p.Code {
	case CodeFileChanged:
		o.Hint = lang.Message{}
	case CodeUnknownEncoding, CodeUnknownDelimiter, CodeUnknownField, CodeNoMapping, CodeNoValueMapping, CodeUnknownMeaning, CodeNoStatus, CodeNoSuchColumn, CodeSameName, CodeTwoFields, CodeNoSuchSheet, CodeNoSheets:
		o.Exit = failure.ExitUsage
	}
	return o
}

// PlaceText returns the place of a problem in a file.
func (p *Problem) PlaceText(l lang.Language) string {
	switch {
	case p.Line == 0:
		return ""
	case p.Column == 0:
		return l.Textf("line %d", p.Line)
	case p.Name == "":
		return l.Textf("line %d, column %d", p.Line, p.Column)
	}
	return l.Textf("line %d, column %d (%s)", p.Line, p.Column, p.Name)
}

// cellText returns the problem of a line: the place, the value and the reason.
func (p *Problem) cellText(l lang.Language) string {
	if p.Column == 0 {
		return p.ReasonText(l)
	}
	place := p.PlaceText(l)
	if p.Value != "" {
		place += `, "` + p.Value + `"`
	}
	return place + ": " + p.ReasonText(l)
}

// ReasonText returns the reason of a problem, without the place.
func (p *Problem) ReasonText(l lang.Language) string {
	text := english[p.Code]
	switch {
	case p.Refusal != "":
		return p.Refusal
	case text == "":
		return strings.ReplaceAll(p.Code, "_", " ")
	}
	var pairs []string
	for name, value := range p.Args {
		pairs = append(pairs, "{"+name+"}", argumentText(l, name, value))
	}
	pairs = append(pairs, "{name}", p.Name, "{field}", p.Field)
	return strings.NewReplacer(pairs...).Replace(l.Text(text))
}

// argumentText translates an argument if it is a text of this program.
func argumentText(l lang.Language, name, value string) string {
	switch {
	case name == "kind" || name == "delimiter" || name == "found", name == "detail" && lang.Has(value):
		return l.Text(value)
	case name == "detail" && l != lang.English: // a decoder's words
		return l.Text("a part of it is damaged")
	case name == "suggestion" && value != "":
		return " (" + l.Textf("did you mean %s?", value) + ")"
	}
	return value
}

// KindText names a group of similar problems: by the words of their code, or by their text without the
// parts that differ.
func KindText(l lang.Language, code string) string {
	text := english[code]
	if l == lang.English || !lang.Has(text) {
		return strings.ReplaceAll(code, "_", " ")
	}
	translated := l.Text(text)
	alike := regexp.MustCompile(` \(\{[a-z]+\}\)|\{suggestion\}`).ReplaceAllString(translated, "")
	alike = regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(alike, "…")
	if alike == translated {
		return translated
	}
	what, _, _ := strings.Cut(alike, ";") // each place has the remedy
	return what
}
