package render

import "testing"

// A message is broken between words, never within text to be copied, and an indented line
// continues indented.
func TestMessagesAreBrokenAtWords(t *testing.T) {
	for _, c := range []struct {
		words, indent string
		room          int
		want          string
	}{
		{"one two three", "", 8, "one two\nthree"},
		{"one two three", "  ", 8, "  one\n  two\n  three"},
		{"see /home/ana/novembro/assinantes.csv now", "", 10, "see\n/home/ana/novembro/assinantes.csv\nnow"},
		{"run `ativa sync x.csv` again", "", 20, "run\n`ativa sync x.csv`\nagain"},
		{"say --map 'speed:100 Mega=10' once", "", 22, "say --map\n'speed:100 Mega=10'\nonce"},
		{"(fix them, then: ativa sync x.csv)", "", 24, "(fix them, then:\nativa sync x.csv)"},
		{"a `b that does not end here", "", 10, "a `b that\ndoes not\nend here"},
		{"use `a command longer than the line` here", "", 12, "use\n`a command longer than the line`\nhere"},
	} {
		if got := breakAtWords(c.indent+c.words, c.room); got != c.want {
			t.Errorf("%q in %d: got %q, want %q", c.words, c.room, got, c.want)
		}
	}
}
