package cmd

import (
	"bufio"
	"os"
	"strings"
	"unicode"

	"ativa/internal/csvfile"
)

// document checks a CPF before anything is sent.
func document(s string) (string, error) {
	d, err := csvfile.Document(s)
	if err != nil {
		wrong := usage("document %q: %s", s, err)
		if strings.ContainsFunc(s, unicode.IsLetter) {
			return "", wrong.withHint("a name is looked for with: ativa subscribers search %s", shellWord(s))
		}
		return "", wrong
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
