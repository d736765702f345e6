package csvfile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"

	"ativa/internal/tempfile"
)

// heldInMemory is how many lines of a report wait in memory for the rows before
// them; further ones wait in a temporary file.
const heldInMemory = 4096

type heldLines struct {
	lines []ReportLine // the first ones
	at    int          // of the first one in lines

	file    *os.File
	waiting int // lines in file that were not read
	buffer  *bufio.Writer
	in      *json.Encoder
	out     *json.Decoder
}

func (h *heldLines) add(l ReportLine) error {
	if h.waiting == 0 && len(h.lines)-h.at < heldInMemory {
		if h.at == len(h.lines) {
			h.lines, h.at = h.lines[:0], 0
		}
		h.lines = append(h.lines, l)
		return nil
	}
	if h.file == nil {
		file, err := tempfile.Create()
		if err != nil {
			return fmt.Errorf("keeping lines of the report: %w", err)
		}
		h.file, h.buffer = file, bufio.NewWriter(file)
		h.in, h.out = json.NewEncoder(h.buffer), json.NewDecoder(io.NewSectionReader(file, 0, math.MaxInt64))
	}
	if err := h.in.Encode(l); err != nil {
		return fmt.Errorf("keeping lines of the report: %w", err)
	}
	h.waiting++
	return nil
}

// next takes the first line if it stands before a line of the file.
func (h *heldLines) next(before int) (l ReportLine, ok bool, err error) {
	if h.at == len(h.lines) && h.waiting > 0 {
		if err := h.read(); err != nil {
			return l, false, fmt.Errorf("reading the lines of the report that were kept: %w", err)
		}
	}
	if h.at == len(h.lines) || h.lines[h.at].Line >= before {
		return l, false, nil
	}
	h.at++
	return h.lines[h.at-1], true, nil
}

func (h *heldLines) read() error {
	if err := h.buffer.Flush(); err != nil {
		return err
	}
	h.lines, h.at = h.lines[:0], 0
	for len(h.lines) < heldInMemory && h.waiting > 0 {
		var l ReportLine
		if err := h.out.Decode(&l); err != nil {
			return err
		}
		h.lines = append(h.lines, l)
		h.waiting--
	}
	return nil
}

func (h *heldLines) close() error {
	if h.file == nil {
		return nil
	}
	return tempfile.Remove(h.file)
}
