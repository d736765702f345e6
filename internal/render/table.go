package render

import (
	"bufio"
	"math"
	"slices"
	"strings"
)

// tableWriter writes rows for people: aligned columns, two spaces apart. On a terminal no line is
// wider than the screen: columns are narrowed in the order of their priority, down to their
// least widths, columns that are never left out down to their usual widths; those of the
// lowest priorities are left out until the others fit. A row takes one line, unless it is the
// only one and has a sentence. A screen narrower than minTable shows rows that do not fit as
// cards. Columns that are empty in all rows are left out, unless --columns names them.
// Elsewhere every column is shown and nothing is cut.
//
// It computes the widths from maxBufferedRows rows at a time, so that a list of
// any length needs little memory. Where further rows need another layout, a new
// section with a header of its own begins.
type tableWriter struct {
	out     *bufio.Writer
	options Options
	fields  []columnInfo
	asCards bool // every row is a card

	buffered [][]cell
	widths   []int // the widths that the rows so far need
	filled   []bool
	leftOut  []bool // columns that did not fit; they stay left out
	reported bool   // OnLeftOut was called
	cut      []bool // columns with a sentence that was cut
	alone    bool   // the row being written is the only one
	shown    []int  // columns of the current section, by their index
	started  bool
}

const (
	// maxBufferedRows is how many rows are buffered to compute the widths.
	maxBufferedRows = 256
	// minTable is the width of a screen, in character cells, from which every list is a table
	// (cli.md, Output).
	minTable = 60
	// columnGap is the number of spaces between two columns.
	columnGap = 2
)

func newTable(out *bufio.Writer, o Options, fields []columnInfo, asCards bool) *tableWriter {
	n := len(fields)
	t := &tableWriter{out: out, options: o, fields: fields, asCards: asCards,
		widths: make([]int, n), filled: make([]bool, n), leftOut: make([]bool, n), cut: make([]bool, n)}
	for i, f := range fields {
		t.filled[i] = f.asked || !o.Screen.Terminal || o.Live
		if !o.NoHeader {
			t.widths[i] = width(t.heading(f).text)
		}
		if t.isSteady(f) {
			t.widths[i] = max(t.widths[i], f.Usual)
		}
	}
	return t
}

func (t *tableWriter) row(r rowValues) error {
	cells := make([]cell, len(r.cells))
	for i, s := range r.cells {
		kind := t.fields[i].Kind
		cells[i] = newCell(t.options, kind, s)
		t.filled[i] = t.filled[i] || s != ""
		switch {
		case t.isSteady(t.fields[i]):
		case kind == Statuses:
			t.widths[i] = max(t.widths[i], width(cells[i].inLine(false).text))
		default:
			t.widths[i] = max(t.widths[i], cells[i].width())
		}
	}
	t.buffered = append(t.buffered, cells)
	if t.options.Live || len(t.buffered) == maxBufferedRows {
		return t.flush(false)
	}
	return nil
}

func (t *tableWriter) close(bool) error {
	if len(t.buffered) == 0 && (t.started || t.options.Screen.Terminal) {
		return nil
	}
	return t.flush(true)
}

// flush writes the buffered rows; last means that no others follow.
func (t *tableWriter) flush(last bool) error {
	shown, widths, fits := t.layout()
	t.alone = last && !t.started && len(t.buffered) == 1
	again := !t.started || !slices.Equal(shown, t.shown)
	if t.started && (again || !fits) {
		t.out.WriteByte('\n')
	}
	if !t.started && t.options.Live {
		t.reportLeftOut()
	}
	t.shown, t.started = shown, true
	defer func() { t.buffered = t.buffered[:0] }()
	if !fits {
		t.writeCards()
		return nil // a bufio.Writer keeps its first error
	}
	const prompt = 1
	few := last && again && t.options.Screen.Terminal && len(t.buffered)+prompt < t.options.Screen.Height
	var lines [][]cellLine
	if again && !t.options.NoHeader && len(shown) > 0 {
		lines = append(lines, t.header(widths))
	}
	for _, cells := range t.buffered {
		if !few {
			t.writeLines(lines, widths)
			lines = lines[:0]
		}
		lines = t.appendLines(lines, cells, widths)
	}
	if few {
		return t.drawScreenful(lines)
	}
	t.writeLines(lines, widths)
	return nil
}

// reportLeftOut reports once which columns were left out because they do not fit.
func (t *tableWriter) reportLeftOut() {
	if titles := t.titles(t.leftOut); len(titles) > 0 && !t.reported && t.options.OnLeftOut != nil {
		t.options.OnLeftOut(titles)
	}
	t.reported = true
}

// reportCut reports which sentences were cut.
func (t *tableWriter) reportCut() {
	if titles := t.titles(t.cut); len(titles) > 0 && t.options.OnCut != nil {
		t.options.OnCut(titles)
	}
}

// titles returns the titles of the chosen columns.
func (t *tableWriter) titles(chosen []bool) (titles []string) {
	for i, is := range chosen {
		if is {
			titles = append(titles, strings.ReplaceAll(t.fields[i].Title, "_", " "))
		}
	}
	return titles
}

// columns returns the indexes of the columns that are shown.
func (t *tableWriter) columns() []int {
	shown := make([]int, 0, len(t.fields))
	for i := range t.fields {
		if t.filled[i] && !t.leftOut[i] {
			shown = append(shown, i)
		}
	}
	return shown
}

// isSteady reports whether the column keeps its width whatever its rows contain: earlier rows of a
// followed list stay on the screen.
func (t *tableWriter) isSteady(f columnInfo) bool {
	return t.options.Live && t.options.Screen.Terminal && f.Usual > 0
}

// layout returns the columns that are shown with their widths, and whether the rows fit in a table.
// From minTable on they always do, unless they are cards.
func (t *tableWriter) layout() (shown, widths []int, fits bool) {
	if t.asCards {
		return nil, nil, false
	}
	shown = t.columns()
	if t.options.Screen.Width < minTable && !t.options.Live {
		widths, fits = t.fit(shown, columnInfo.leastOnNarrowScreen)
		return shown, widths, fits
	}
	widths, fits = t.fit(shown, columnInfo.usualWidth)
	for !fits && t.leaveOut(shown) {
		shown = t.columns()
		widths, fits = t.fit(shown, columnInfo.usualWidth)
	}
	const narrowest = 3
	title := func(f columnInfo) int { return max(narrowest, min(width(t.heading(f).text), f.leastWidth())) }
	for _, least := range []func(columnInfo) int{
		columnInfo.leastWidth,
		func(f columnInfo) int { return max(title(f), f.Min) },
		title,
		func(columnInfo) int { return narrowest },
	} {
		if !fits {
			widths, fits = t.fit(shown, least)
		}
	}
	return shown, widths, true
}

// leaveOut omits the least important column: the last one of the lowest priority. It reports whether
// a column could be omitted.
func (t *tableWriter) leaveOut(shown []int) bool {
	least := -1
	for _, i := range shown {
		if f := t.fields[i]; f.mayBeLeftOut() && (least < 0 || f.Priority <= t.fields[least].Priority) {
			least = i
		}
	}
	if least >= 0 {
		t.leftOut[least] = true
	}
	return least >= 0
}

// fit returns the widths of the columns, by their position on the screen, and whether the rows
// fit. least returns how narrow a column may be.
func (t *tableWriter) fit(shown []int, least func(columnInfo) int) (widths []int, fits bool) {
	if !t.options.Screen.Terminal {
		return t.widths, true
	}
	widths = make([]int, len(shown))
	columns := make([]flexible, len(shown))
	for place, i := range shown {
		f := t.fields[i]
		widths[place] = t.widths[i]
		columns[place] = flexible{f.Priority, least(f)}
		if f.key { // the last to be narrowed
			columns[place].priority = math.MaxInt - 1
		}
	}
	return widths, narrow(widths, columns, t.options.Screen.Width-columnGap*(len(shown)-1))
}

// flexible is a column that may be narrowed to a least width.
type flexible struct{ priority, least int }

// narrow reduces the widths until they are at most room in total: columns of the lowest priority
// first, and of these the widest. It reports whether that is possible.
func narrow(widths []int, columns []flexible, room int) bool {
	over := -room
	for _, w := range widths {
		over += w
	}
	for ; over > 0; over-- {
		next, priority := -1, math.MaxInt
		for i, c := range columns {
			if widths[i] > c.least && (c.priority < priority || c.priority == priority && widths[i] > widths[next]) {
				next, priority = i, c.priority
			}
		}
		if next < 0 {
			return false
		}
		widths[next]--
	}
	return true
}

// header returns the line of titles.
func (t *tableWriter) header(widths []int) []cellLine {
	cells := make([]cellLine, len(t.shown))
	for place, i := range t.shown {
		cells[place] = t.heading(t.fields[i])
		if t.options.Screen.Terminal {
			cells[place] = cell{cells[place]}.limit(Text, widths[place], false)[0]
		}
	}
	return cells
}

// heading returns the title of a column, in capitals on a terminal.
func (t *tableWriter) heading(f columnInfo) cellLine {
	title := f.heading(t.options)
	if t.options.Screen.Terminal {
		title.text = strings.ToUpper(title.text)
	}
	return title
}

// appendLines appends the lines of a row: one, unless it is the only row and has a sentence.
func (t *tableWriter) appendLines(lines [][]cellLine, cells []cell, widths []int) [][]cellLine {
	first := len(lines)
	for place, i := range t.shown {
		c := cells[i]
		if t.options.Screen.Terminal {
			kind := t.fields[i].Kind
			t.cut[i] = t.cut[i] || kind == Prose && !t.alone && c.width() > widths[place]
			c = c.limit(kind, widths[place], t.alone)
		}
		for n, line := range c {
			if first+n == len(lines) {
				lines = append(lines, make([]cellLine, len(t.shown)))
			}
			lines[first+n][place] = line
		}
	}
	return lines
}

// writeLines writes the lines without trailing spaces.
func (t *tableWriter) writeLines(lines [][]cellLine, widths []int) {
	for _, cells := range lines {
		pending := 0
		for place, c := range cells {
			space := max(0, widths[place]-width(c.text))
			before := 0
			if t.fields[t.shown[place]].Kind == Number {
				before, space = space, 0
			}
			if c.text == "" {
				pending += before + space + columnGap
				continue
			}
			t.out.WriteString(strings.Repeat(" ", pending+before))
			t.out.WriteString(c.paint())
			pending = space + columnGap
		}
		t.out.WriteByte('\n')
	}
}
