package cmd

import (
	"bufio"
	"context"
	"os"

	"ativa/internal/csvfile"
)

// document checks a CPF before anything is sent.
func document(s string) (string, error) {
	d, err := csvfile.Document(s)
	if err != nil {
		return "", usage("document %q: %s", s, err)
	}
	return string(d), nil
}

// documents checks those of the command line, before anything is sent.
func documents(given []string) ([]string, error) {
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

// open opens a spreadsheet, or standard input for "-".
func (e *env) open(file string, o csvfile.Options) (*csvfile.File, error) {
	if file == "-" {
		return csvfile.OpenReader(bufio.NewReader(e.in), o)
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return nil, usage("%s is a directory, not a file", file)
	}
	f, err := csvfile.Open(file, o)
	if os.IsNotExist(err) {
		return nil, usage("file %q does not exist", file)
	}
	return f, err
}

// checkDocuments checks a whole file of documents.
func checkDocuments(ctx context.Context, f *csvfile.File) (*csvfile.Summary, error) {
	summary, err := f.Check(ctx, csvfile.Catalog{})
	if err != nil {
		return nil, err
	}
	if summary.Invalid > 0 {
		return nil, &failure{exit: exitInvalidInput, code: "invalid_input", message: say("%d of %d [line is|lines are] invalid; nothing was sent", summary.Invalid, summary.Rows), err: &summary.First[0], hint: say("mend the file")}
	}
	return summary, nil
}
