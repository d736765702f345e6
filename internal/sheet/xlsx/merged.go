package xlsx

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// merged is a block of cells that a sheet shows as one.
type merged struct {
	first, last        int // rows
	column, lastColumn int // the leftmost has the value
	text               string
	date               bool
}

// maxMerged is the maximum number of merged blocks of a sheet.
const maxMerged = 1 << 18

var errManyMerged error = &DamagedError{"its merged cells are too many; save it as CSV"}

// readMerged returns the merged blocks of a sheet, in the order of their first rows. They follow the
// cells, so it reads the part once more, tag by tag because an XML decoder would take ten times
// as long.
func (b *Workbook) readMerged(part string) (all []merged, err error) {
	p, err := b.open(part)
	if err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, p.close()) }()
	for {
		tag, err := p.text.ReadSlice('>')
		if errors.Is(err, io.EOF) {
			slices.SortFunc(all, func(a, b merged) int { return cmp.Compare(a.first, b.first) })
			return all, nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		if m, ok := readBlock(tag[bytes.LastIndexByte(tag, '<')+1:]); ok {
			if all = append(all, m); len(all) > maxMerged {
				return nil, errManyMerged
			}
		}
	}
}

// readBlock parses a tag without its brackets, such as mergeCell ref="F2:F5".
func readBlock(tag []byte) (m merged, ok bool) {
	name := tag[:max(0, bytes.IndexAny(tag, " \t\r\n"))]
	if name = name[bytes.IndexByte(name, ':')+1:]; string(name) != "mergeCell" {
		return merged{}, false
	}
	t, err := xml.NewDecoder(strings.NewReader("<" + string(tag))).RawToken()
	start, ok := t.(xml.StartElement)
	if err != nil || !ok {
		return merged{}, false
	}
	from, to, _ := strings.Cut(attribute(start, "ref"), ":")
	m = merged{first: rowNumber(from), last: rowNumber(to), column: columnNumber(from), lastColumn: columnNumber(to)}
	return m, m.column > 0 && m.lastColumn >= m.column && m.first > 0 && m.last >= m.first
}

// rowNumber returns the row of a cell's name: 7 for C7, 0 without digits.
func rowNumber(cell string) int {
	n, _ := strconv.Atoi(strings.TrimLeft(cell, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	return n
}

// spread copies the value of each merged block to the cells that show it: into its first column of
// every row with cells, and over the values of covered cells.
func (r *rows) spread() {
	n, own := r.row.Number, len(r.row.Cells) > 0
	for ; len(r.merged) > 0 && r.merged[0].first <= n; r.merged = r.merged[1:] {
		m := r.merged[0]
		if m.first == n && m.column <= len(r.row.Cells) {
			m.text, m.date = r.row.Cells[m.column-1], slices.Contains(r.row.Dates, m.column)
		}
		r.open = append(r.open, m)
	}
	r.open = slices.DeleteFunc(r.open, func(m merged) bool { return m.last < n })
	for _, m := range r.open {
		for column := m.column; own && column <= m.lastColumn && column <= maxColumns; column++ {
			kept := column <= len(r.row.Cells) && r.row.Cells[column-1] != ""
			if shown := column == m.column && m.first == n; shown || !kept && (column > m.column || m.text == "") {
				continue
			}
			r.set(column, m.text, m.date)
			r.row.Merged = append(r.row.Merged, column)
		}
	}
}
