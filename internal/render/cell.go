package render

import (
	"slices"
	"strings"
	"time"

	"ativa/internal/cpf"
)

// cell is a sanitised text with its colour, and the lines after the first.
type cell struct {
	text   string
	colour Colour
	more   []cell
	short  string // the status without the text before it, in a line of Statuses
	spans  []cell // parts of the text, each in its colour; nil for one colour
}

// paint returns the text in its colours.
func (c cell) paint() string {
	if c.spans == nil {
		return c.colour.Paint(c.text)
	}
	var b strings.Builder
	for _, span := range c.spans {
		b.WriteString(span.colour.Paint(span.text))
	}
	return b.String()
}

// share returns a cell of statuses in at most room character cells. It cuts the longest first.
func (c cell) share(room int) cell {
	widths, columns := make([]int, len(c.spans)), make([]flexible, len(c.spans))
	for i, span := range c.spans {
		widths[i], columns[i].least = width(span.text), min(width(span.text), 2)
	}
	narrow(widths, columns, room)
	c.text, c.spans = "", slices.Clone(c.spans)
	for i := range c.spans {
		c.spans[i].text = terminalWidths().Truncate(c.spans[i].text, widths[i], "…")
		c.text += c.spans[i].text
	}
	if width(c.text) > room { // too many of them
		c.spans = nil
	}
	return c
}

// inLine joins the lines of a cell into one; short leaves out the text before each status.
func (c cell) inLine(short bool) cell {
	const between = ", "
	var all cell
	for n := range 1 + len(c.more) {
		line := c.line(n)
		if short {
			line.text = line.short
		}
		if n > 0 {
			all.spans = append(all.spans, cell{text: between})
			all.text += between
		}
		all.spans = append(all.spans, line)
		all.text += line.text
	}
	return all
}

// line returns the n-th line, 0 for the first.
func (c cell) line(n int) cell {
	if n > 0 {
		return c.more[n-1]
	}
	return cell{text: c.text, colour: c.colour, short: c.short}
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
	return at.In(o.Zone()).Format("2006-01-02 15:04:05")
}

// statusCell returns a status in its colour and in the user's language.
func statusCell(o Options, before, status string) cell {
	word := o.TranslateWord(Status, status)
	c := cell{text: Sanitise(before + word), short: Sanitise(word)}
	if o.Screen.Colour {
		c.colour = StatusColour(status)
	}
	return c
}

// statusesCell returns "a: active, b: suspend" with one line for each status.
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
	lines[0].more = lines[1:]
	if !o.Screen.Terminal {
		return lines[0].inLine(false)
	}
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
		return cpf.FormatPhone(s)
	}
	return s
}
