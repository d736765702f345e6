package render

import (
	"strings"
	"time"

	"ativa/internal/cpf"
)

// cell is a sanitised text with its colour, and the lines below it.
type cell struct {
	text   string
	colour Colour
	more   []cell
}

// line returns the first line, or one of those below it.
func (c cell) line(n int) cell {
	if n > 0 {
		return c.more[n-1]
	}
	return cell{text: c.text, colour: c.colour}
}

// width returns the number of character cells that the widest line takes.
func (c cell) width() int {
	widest := width(c.text)
	for _, line := range c.more {
		widest = max(widest, width(line.text))
	}
	return widest
}

// newCell returns the cell for a value of the kind.
func newCell(o Options, kind Kind, s string) cell {
	switch kind {
	case Document:
		if !o.ShowDocuments && s != "" {
			s = cpf.Document(cpf.OnlyDigits(s)).Mask()
		}
	case Time:
		if at, err := time.Parse(time.RFC3339Nano, s); err == nil {
			s = timeText(o, at)
		}
	case Status:
		return statusCell(o, "", s)
	case Statuses:
		return statusesCell(o, s)
	case Word, Cause:
		s = o.TranslateWord(kind, s)
	case Codes:
		return codesCell(o, s)
	}
	return cell{text: Sanitise(s)}
}

// timeText returns a time as people read it: in their own words on a terminal.
func timeText(o Options, at time.Time) string {
	if o.Screen.Terminal && o.TimeText != nil {
		return o.TimeText(at)
	}
	return at.In(o.Zone).Format("2006-01-02 15:04:05")
}

// statusCell returns a status in its colour and in the user's language.
func statusCell(o Options, before, status string) cell {
	c := cell{text: Sanitise(before + o.TranslateWord(Status, status))}
	if o.Screen.Colour {
		c.colour = StatusColour(status)
	}
	return c
}

// statusesCell returns "a: active, b: suspend" as a line for each on a terminal.
func statusesCell(o Options, s string) cell {
	const between, after = ", ", ": "
	var lines []cell
	for part := range strings.SplitSeq(s, between) {
		before, status := "", part
		if at := strings.LastIndex(part, after); at >= 0 {
			before, status = part[:at+len(after)], part[at+len(after):]
		}
		lines = append(lines, statusCell(o, before, status))
	}
	if !o.Screen.Terminal {
		texts := make([]string, len(lines))
		for i, line := range lines {
			texts[i] = line.text
		}
		return cell{text: strings.Join(texts, between)}
	}
	lines[0].more = lines[1:]
	return lines[0]
}

// codesCell returns "activate suspend" as "activate (ativar), suspend (suspender)".
func codesCell(o Options, s string) cell {
	codes, between := strings.Fields(s), " "
	for i, code := range codes {
		if word := o.TranslateWord(Codes, code); word != code {
			codes[i], between = code+" ("+word+")", ", "
		}
	}
	return cell{text: Sanitise(strings.Join(codes, between))}
}

// formatForExcel adds the usual punctuation to documents and Brazilian telephone
// numbers. Excel reads bare digits as a number: it drops leading zeros and the
// digits beyond its precision.
func formatForExcel(kind Kind, s string) string {
	switch kind {
	case Document:
		if d, ok := cpf.ParseLoosely(s); ok {
			return d.Format()
		}
	case Phone:
		const landline, mobile = 10, 11
		d, ok := strings.CutPrefix(s, "+55")
		if n := len(d); ok && (n == landline || n == mobile) && cpf.OnlyDigits(d) == d {
			return "(" + d[:2] + ") " + d[2:n-4] + "-" + d[n-4:]
		}
	}
	return s
}
