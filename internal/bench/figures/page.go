package figures

import (
	"fmt"
	"os"
	"strings"
)

// The figures stand between these lines of a page; the text around them is
// written by hand and stays.
const (
	begin = "<!-- figures: written by go run ./internal/bench -->\n"
	end   = "<!-- end of the figures -->\n"
)

// WriteInto replaces what stands between the two lines of a page. A page that
// is not there is begun with its title.
func WriteInto(file, title, text string) error {
	page, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		page, err = []byte("# "+title+"\n\n"+begin+end), nil
	}
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s has no lines %q and %q to write between", file, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return os.WriteFile(file, []byte(before+begin+text+end+after), 0o644)
}
