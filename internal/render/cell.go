package render

import (
	"slices"
	"strings"
	"time"

	"ativa/internal/cpf"
)

// cell is the lines of a sanitised text, at least one.
type cell []cellLine

// cellLine is a text with its colour.
type cellLine struct {
	text   string
	colour Colour
	short  string     // the status without the text before it, in a line of Statuses
	spans  []cellLine // parts of the text, each in its colour; nil for one colour
}

// paint returns the text in its colours.
func (l cellLine) paint() string {
	if l.spans == nil {
		return l.colour.Paint(l.text)
	}
	var b strings.Builder
	for _, span := range l.spans {
		b.WriteString(span.colour.Paint(span.text))
	}
	return b.String()
}

// share returns a line of statuses in at most room character cells. It cuts the longest first.
func (l cellLine) share(room int) cellLine {
	widths, columns := make([]int, len(l.spans)), make([]flexible, len(l.spans))
	for i, span := range l.spans {
		widths[i], columns[i].least = width(span.text), min(width(span.text), 2)
	}
	narrow(widths, columns, room)
	l.text, l.spans = "", slices.Clone(l.spans)
	for i := range l.spans {
		l.spans[i].text = terminalWidths().Truncate(l.spans[i].text, widths[i], "…")
		l.text += l.spans[i].text
	}
	if width(l.text) > room { // too many of them
		l.spans = nil
	}
	return l
}

// inLine joins the lines of a cell into one; short leaves out the text before each status.
func (c cell) inLine(short bool) cellLine {
	const between = ", "
	var all cellLine
	for n, line := range c {
		if short {
			line.text = line.short
		}
		if n > 0 {
			all.spans = append(all.spans, cellLine{text: between})
			all.text += between
		}
		all.spans = append(all.spans, line)
		all.text += line.text
	}
	return all
}

// width returns the number of character cells that the widest line takes.
func (c cell) width() int {
	widest := 0
	for _, line := range c {
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
		return cell{statusLine(o, "", s)}
	case Statuses:
		return statusesCell(o, s)
	case Word, Cause:
		s = o.TranslateWord(kind, s)
	case Codes:
		return codesCell(o, s)
	}
	return cell{{text: Sanitise(s)}}
}

// timeText returns a time as people read it: in their own words on a terminal.
func timeText(o Options, at time.Time) string {
	if o.Screen.Terminal && o.TimeText != nil {
		return o.TimeText(at)
	}
	return at.In(o.Zone()).Format("2006-01-02 15:04:05")
}

// statusLine returns a status in its colour and in the user's language.
func statusLine(o Options, before, status string) cellLine {
	word := o.TranslateWord(Status, status)
	l := cellLine{text: Sanitise(before + word), short: Sanitise(word)}
	if o.Screen.Colour {
		l.colour = StatusColour(status)
	}
	return l
}

// statusesCell returns "a: active, b: suspend" with one line for each status.
func statusesCell(o Options, s string) cell {
	const between, after = ", ", ": "
	var lines cell
	for part := range strings.SplitSeq(s, between) {
		before, status := "", part
		if at := strings.LastIndex(part, after); at >= 0 {
			before, status = part[:at+len(after)], part[at+len(after):]
		}
		lines = append(lines, statusLine(o, before, status))
	}
	if !o.Screen.Terminal {
		return cell{lines.inLine(false)}
	}
	return lines
}

// codesCell returns "activate suspend" as "activate (ativar), suspend (suspender)".
func codesCell(o Options, s string) cell {
	codes, between := strings.Fields(s), " "
	for i, code := range codes {
		if word := o.TranslateWord(Codes, code); word != code {
			codes[i], between = code+" ("+word+")", ", "
		}
	}
	return cell{{text: Sanitise(strings.Join(codes, between))}}
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

// limit returns the cell in at most room character cells: a sentence in the only row is wrapped,
// anything else is cut to one line at its end, a path at its start.
func (c cell) limit(kind Kind, room int, alone bool) cell {
	line := c[0]
	if kind == Statuses {
		if line = c.inLine(false); width(line.text) > room {
			line = c.inLine(true).share(room)
		}
	}
	switch {
	case width(line.text) <= room:
	case kind == Prose && alone:
		return c.wrap(room)
	case kind == Path:
		line.text = terminalWidths().TruncatePrefix(line.text, room, "…")
	default:
		line.text = terminalWidths().Truncate(line.text, room, "…")
	}
	return cell{line}
}

// wrap returns the cell with its lines broken if they are wider than room: between the parts of a
// list ("; "), then between words.
func (c cell) wrap(room int) cell {
	if c.width() <= room {
		return c
	}
	var lines cell
	for _, line := range c {
		for part := range strings.SplitSeq(strings.ReplaceAll(line.text, "; ", ";\n"), "\n") {
			for _, text := range Wrap(part, room) {
				lines = append(lines, cellLine{text: text, colour: line.colour})
			}
		}
	}
	return lines
}

// longestWord returns the width of the widest word of the cell.
func (c cell) longestWord() int {
	widest := 0
	for _, line := range c {
		for word := range strings.SplitSeq(line.text, " ") {
			widest = max(widest, width(word))
		}
	}
	return widest
}
