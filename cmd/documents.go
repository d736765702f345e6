package cmd

import (
	"bufio"
	"context"
	"os"

	"ativa/internal/cpf"
	"ativa/internal/csvfile"
)

// document checks a CPF before anything is sent.
func document(s string) (string, error) {
	d, err := cpf.Parse(s)
	if err != nil {
		return "", usage("document %q: %s", s, err)
	}
	return string(d), nil
}

// documents checks those of the command line, or reads them from a file: a
// spreadsheet with a document column, or one document per line.
func (e *env) documents(ctx context.Context, given []string, file string) ([]string, error) {
	if file == "" {
		if len(given) == 0 {
			return nil, usage("no document is given").withHint("give documents, or --file FILE")
		}
		all := make([]string, 0, len(given))
		for _, s := range given {
			d, err := document(s)
			if err != nil {
				return nil, err
			}
			all = append(all, d)
		}
		return all, nil
	}
	if len(given) > 0 {
		return nil, usage("give documents or --file, not both")
	}
	f, err := e.open(file, csvfile.Options{Profile: csvfile.Documents})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readDocuments(ctx, f)
}

// open opens a spreadsheet, or standard input for "-".
func (e *env) open(file string, o csvfile.Options) (*csvfile.File, error) {
	if file == "-" {
		return csvfile.OpenReader(bufio.NewReader(e.in), o)
	}
	f, err := csvfile.Open(file, o)
	if os.IsNotExist(err) {
		return nil, usage("file %q does not exist", file)
	}
	return f, err
}

func readDocuments(ctx context.Context, f *csvfile.File) ([]string, error) {
	summary, err := f.Check(ctx, csvfile.Catalog{})
	if err != nil {
		return nil, err
	}
	if summary.Invalid > 0 {
		return nil, &failure{exit: exitInvalidInput, code: "invalid_input", message: "nothing was sent", err: &summary.First[0]}
	}
	var all []string
	for row, err := range f.Rows(ctx) {
		if err != nil {
			return nil, err
		}
		all = append(all, row.Document)
	}
	return all, nil
}
