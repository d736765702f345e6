package render

import (
	"bufio"
	"math"
	"slices"
	"strings"
)

// tableWriter writes rows for people: aligned columns, two spaces apart. On a
// terminal no line is wider than the screen: columns are narrowed in the order
// of their priority, down to their least widths, and rows that still do not fit
// become cards. Columns that are empty in all rows are left out, unless they were
// asked for. Elsewhere every column is shown and nothing is cut.
//
// It computes the widths from maxBufferedRows rows at a time, so that a list of
// any length needs little memory. Where further rows need another layout, a new
// section with a header of its own begins.
type tableWriter struct {
	out     *bufio.Writer
	options Options
	fields  []columnInfo

	buffered [][]cell
	widths   []int // that the rows so far need
	words    []int // the widest word of the rows so far, where no word is broken
	filled   []bool
	shown    []int // the columns of the present section, by their index
	cards    bool  // the present section is one of cards
	started  bool
}

// maxBufferedRows is how many rows are buffered to compute the widths.
const maxBufferedRows = 256

// columnGap is the number of spaces between two columns.
const columnGap = 2

func (t *tableWriter) open() error {
	t.widths, t.words, t.filled = make([]int, len(t.fields)), make([]int, len(t.fields)), make([]bool, len(t.fields))
	for i, f := range t.fields {
		t.filled[i] = f.asked || !t.options.Screen.Terminal || t.options.Live
		if !t.options.NoHeader {
			t.widths[i] = width(t.heading(f).text)
		}
		if t.isSteady(f) {
			t.widths[i] = max(t.widths[i], f.usual)
		}
	}
	return nil
}

func (t *tableWriter) row(r rowValues) error {
	cells := make([]cell, len(r.cells))
	for i, s := range r.cells {
		cells[i] = newCell(t.options, t.fields[i].kind, s)
		t.filled[i] = t.filled[i] || s != ""
		if t.isSteady(t.fields[i]) {
			continue
		}
		t.widths[i] = max(t.widths[i], cells[i].width())
		if t.fields[i].leastWidth(t.options) == 0 {
			t.words[i] = max(t.words[i], cells[i].longestWord())
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

// flush writes the buffered rows; last says that no others follow.
func (t *tableWriter) flush(last bool) error {
	shown, widths, fits := t.layout()
	again := !t.started || t.cards == fits || !slices.Equal(shown, t.shown)
	if t.started && (again || !fits) {
		t.out.WriteByte('\n')
	}
	t.shown, t.cards, t.started = shown, !fits, true
	defer func() { t.buffered = t.buffered[:0] }()
	if !fits {
		t.writeCards()
		return nil // a bufio.Writer keeps its first error
	}
	const prompt = 1
	few := last && again && t.options.Screen.Terminal && len(t.buffered)+prompt < t.options.Screen.Height
	var lines [][]cell
	if again && !t.options.NoHeader && len(shown) > 0 {
		lines = append(lines, t.header())
	}
	for _, cells := range t.buffered {
		if !few {
			t.writeLines(lines, widths)
			lines = lines[:0]
		}
		lines = t.appendLines(lines, cells, widths)
	}
	if few && len(lines)+prompt <= t.options.Screen.Height {
		return t.drawScreenful(lines)
	}
	t.writeLines(lines, widths)
	return nil
}

// columns are the indexes of the columns that are shown.
func (t *tableWriter) columns() []int {
	shown := make([]int, 0, len(t.fields))
	for i := range t.fields {
		if t.filled[i] {
			shown = append(shown, i)
		}
	}
	return shown
}

// isSteady reports whether the column keeps its width, whatever its rows hold: what
// was written of a list that is followed stays on the screen.
func (t *tableWriter) isSteady(f columnInfo) bool {
	return t.options.Live && t.options.Screen.Terminal && f.usual > 0
}

// layout returns the columns that are shown with their widths, and whether the rows
// fit. Those of a live list always do: it leaves out the columns of a priority below
// 0, the lowest first, and is then narrowed as far as it takes.
func (t *tableWriter) layout() (shown, widths []int, fits bool) {
	shown = t.columns()
	widths, fits = t.fit(shown)
	for !fits && t.options.Live {
		last := slices.MinFunc(shown, func(a, b int) int { return t.fields[a].priority - t.fields[b].priority })
		if f := t.fields[last]; f.priority >= 0 || f.asked {
			return shown, widths, true
		}
		shown = slices.DeleteFunc(shown, func(i int) bool { return i == last })
		widths, fits = t.fit(shown)
	}
	return shown, widths, fits
}

// fit returns the widths of the columns, by their place on the screen, and
// whether the rows fit. A live list is narrowed as far as it takes.
func (t *tableWriter) fit(shown []int) (widths []int, fits bool) {
	if !t.options.Screen.Terminal {
		return t.widths, true
	}
	widths = make([]int, len(shown))
	columns := make([]flexible, len(shown))
	for place, i := range shown {
		f := t.fields[i]
		widths[place] = t.widths[i]
		columns[place] = flexible{priority: f.priority, least: max(f.leastWidth(t.options), width(t.heading(f).text), t.words[i])}
	}
	room := t.options.Screen.Width - columnGap*(len(shown)-1)
	if narrow(widths, columns, room) || len(shown) == 0 {
		return widths, true
	}
	if !t.options.Live {
		return nil, false
	}
	const least = 3
	for place := range columns {
		columns[place].least = least
	}
	narrow(widths, columns, room)
	return widths, false
}

// flexible is a column that may be narrowed to a least width.
type flexible struct{ priority, least int }

// narrow takes from the widths until they are at most room in total: from the
// columns of the lowest priority first, and of these from the widest. It
// reports whether that can be done.
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

// header is the line of titles, in capitals on a terminal.
func (t *tableWriter) header() []cell {
	cells := make([]cell, len(t.shown))
	for place, i := range t.shown {
		cells[place] = t.heading(t.fields[i])
	}
	return cells
}

func (t *tableWriter) heading(f columnInfo) cell {
	title := f.heading(t.options)
	if t.options.Screen.Terminal {
		title.text = strings.ToUpper(title.text)
	}
	return title
}

// appendLines appends the lines of a row: one, unless a cell has several.
func (t *tableWriter) appendLines(lines [][]cell, cells []cell, widths []int) [][]cell {
	first := len(lines)
	for place, i := range t.shown {
		c := cells[i]
		if t.options.Screen.Terminal {
			c = c.limit(t.fields[i].kind, widths[place])
		}
		for n := range 1 + len(c.more) {
			if first+n == len(lines) {
				lines = append(lines, make([]cell, len(t.shown)))
			}
			lines[first+n][place] = c.line(n)
		}
	}
	return lines
}

// writeLines writes the lines without blanks at their ends.
func (t *tableWriter) writeLines(lines [][]cell, widths []int) {
	for _, cells := range lines {
		pending := 0
		for place, c := range cells {
			space := max(0, widths[place]-width(c.text))
			before := 0
			if t.fields[t.shown[place]].kind == Number {
				before, space = space, 0
			}
			if c.text == "" {
				pending += before + space + columnGap
				continue
			}
			t.out.WriteString(strings.Repeat(" ", pending+before))
			t.out.WriteString(c.colour.Paint(c.text))
			pending = space + columnGap
		}
		t.out.WriteByte('\n')
	}
}
