package cli

import (
	"bufio"
	"os"

	"ativa/internal/csvfile"
)

// ParseDocument checks a CPF before anything is sent.
func ParseDocument(s string) (string, error) {
	d, err := csvfile.Document(s)
	if err != nil {
		return "", Usage("document %q: %s", s, err)
	}
	return string(d), nil
}

// ParseDocuments checks those of the command line, before anything is sent.
func ParseDocuments(given []string) ([]string, error) {
	all := make([]string, 0, len(given))
	for _, s := range given {
		d, err := ParseDocument(s)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// OpenSpreadsheet opens a spreadsheet, or standard input for "-".
func (e *Env) OpenSpreadsheet(file string, o csvfile.Options) (*csvfile.File, error) {
	if file == "-" {
		return csvfile.OpenReader(bufio.NewReader(e.In), o)
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return nil, Usage("%s is a directory, not a file", file)
	}
	f, err := csvfile.Open(file, o)
	if os.IsNotExist(err) {
		return nil, Usage("file %q does not exist", file)
	}
	return f, err
}
