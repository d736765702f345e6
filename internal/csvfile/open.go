package csvfile

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"ativa/internal/csvfile/columns"
	"ativa/internal/csvfile/names"
)

// open reads as much of the file as tells how it is written.
func open(in *input, o Options) (*File, error) {
	f := &File{in: in, options: o}
	if err := f.prepare(o); err != nil {
		return nil, errors.Join(err, in.close())
	}
	return f, nil
}

func (f *File) prepare(o Options) error {
	kind, err := f.in.sniff()
	if err != nil {
		return err
	}
	aliases := columns.NewIndex()
	if kind == formatWorkbook {
		err = f.prepareWorkbook(o)
	} else {
		err = f.prepareText(o, aliases)
	}
	if err != nil {
		return err
	}
	if err = f.prepareColumns(o, aliases); err != nil {
		return f.namingOtherSheets(err)
	}
	return nil
}

func (f *File) prepareText(o Options, aliases columns.Index) error {
	if err := f.findEncoding(o.Encoding); err != nil {
		return err
	}
	sample := make([]byte, maxRecord)
	n, err := io.ReadFull(f.text(), sample)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	sample = sample[:n]
	if len(bytes.TrimSpace(sample)) == 0 && n < maxRecord {
		return &Problem{Code: CodeEmptyFile}
	}
	if f.guessed && f.Dialect.Encoding == Windows1252 && isMacOrDOS(sample) {
		return &Problem{Code: CodeOldEncoding}
	}
	first, err := newScanner(bytes.NewReader(sample), ',').next()
	if err == nil {
		f.Dialect.Delimiter, f.Dialect.Sep = separatorLine(first.text)
	}
	switch d, ok := parseDelimiter(o.Delimiter); {
	case o.Delimiter != "" && !ok:
		return &Problem{Code: CodeUnknownDelimiter, Args: map[string]string{"delimiter": o.Delimiter}}
	case ok:
		f.Dialect.Delimiter = d
	case !f.Dialect.Sep:
		f.Dialect.Delimiter = detectDelimiter(sample, f.Dialect.Encoding, aliases)
	}
	return nil
}

// findEncoding obeys the user, who still need not know whether there is a
// mark.
func (f *File) findEncoding(name string) error {
	found, mark, err := detectEncoding(f.in.reader(0))
	if err != nil {
		return err
	}
	f.Dialect.Encoding, f.Dialect.BOM, f.guessed = found, mark > 0, name == ""
	if name == "" {
		return nil
	}
	wanted, ok := parseEncoding(name)
	if !ok {
		return &Problem{Code: CodeUnknownEncoding, Args: map[string]string{"encoding": name}}
	}
	if wanted == UTF16LE && found == UTF16BE && names.Fold(name) == "utf16" {
		wanted = found // the mark says which of the two
	}
	f.Dialect.Encoding, f.Dialect.BOM = wanted, mark > 0 && wanted == found
	return nil
}

// prepareColumns reads the head of the file and finds its header.
func (f *File) prepareColumns(o Options, aliases columns.Index) error {
	s, err := f.records()
	if err != nil {
		return err
	}
	head, err := f.head(s)
	if err = errors.Join(err, s.close()); err != nil {
		return err
	}
	l, header, err := findHeader(head, o, f.Dialect.Delimiter, aliases)
	if err != nil {
		return err
	}
	if err := l.check(); err != nil {
		return err
	}
	f.layout, f.Columns = l, l.columns
	f.Notices = slices.Concat(f.openingNotices, l.notices)
	if header == nil {
		return nil
	}
	f.header, f.Dialect.HeaderLine = header, header.line
	if last := &head[len(head)-1]; header == last && len(head) < headRecords {
		return &Problem{Code: CodeNoRows}
	}
	return nil
}

// head reads the first records.
func (f *File) head(s source) ([]headRecord, error) {
	var head []headRecord
	split := splitter{encoding: f.Dialect.Encoding}
	for len(head) < headRecords {
		r, err := s.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if r.fault != "" && len(head) == 0 {
			return nil, shapeProblem(r)
		}
		if len(head) == 0 {
			f.newline = string(r.raw[len(r.text):])
		}
		names := slices.Clone(split.split(r.text, r.ends))
		for i := range names {
			names[i] = trim(names[i])
		}
		head = append(head, headRecord{r.line, names, bytes.Clone(r.text), slices.Clone(r.ends)})
	}
	if len(head) == 0 {
		return nil, &Problem{Code: CodeEmptyFile}
	}
	return head, nil
}

func shapeProblem(r record) *Problem {
	return &Problem{Line: r.line, Column: r.column, Code: r.fault, Args: map[string]string{"max": number(maxRecord)}}
}
