package render

import (
	"fmt"
	"io"
	"strings"
)

// WriteMessage writes a message and the end of its line, fitted as [FitMessage] does.
func WriteMessage(w io.Writer, text string) error {
	_, err := fmt.Fprintln(w, FitMessage(w, text))
	return err
}

// FitMessage sanitises a message. If w is a terminal, it is broken at words into lines that fit.
// Quoted texts and paths are never broken, nor are commands that fit into a line. Each line begins
// with the spaces at the start of the message.
func FitMessage(w io.Writer, text string) string {
	screen, _ := DetectScreen(w, ColourNever, nil) // fails only for a wrong colour
	return screen.fit(text)
}

// fit is FitMessage for a known screen.
func (s Screen) fit(text string) string {
	text = Sanitise(text)
	if !s.Terminal || width(text) <= s.Width {
		return text
	}
	return breakAtWords(text, s.Width)
}

// breakAtWords breaks a message into lines of at most room character cells, if its words permit.
func breakAtWords(text string, room int) string {
	words := strings.TrimLeft(text, " ")
	indent := text[:len(text)-len(words)]
	room -= width(indent)
	return indent + strings.Join(fill(unbroken(strings.Split(words, " "), room), room), "\n"+indent)
}

// unbroken joins the words of a quoted text, and the words after the program's name unless they
// take more than room: then they may not be a command.
func unbroken(words []string, room int) []string {
	var all []string
	for len(words) > 0 {
		n, quoted := 1, false
		switch first := strings.TrimLeft(words[0], "("); {
		case strings.HasPrefix(first, "`"), strings.HasPrefix(first, "'"):
			n, quoted = closing(words, first[:1]), true
		case first == "ativa":
			for n < len(words) && !strings.HasSuffix(words[n-1], ",") && !strings.HasSuffix(words[n-1], ";") {
				n++
			}
		}
		if joined := strings.Join(words[:n], " "); quoted || width(joined) <= room {
			all = append(all, joined)
		} else {
			all = append(all, words[:n]...)
		}
		words = words[n:]
	}
	return all
}

// closing returns the number of words up to the one that ends the quoted text, 1 if none does.
func closing(words []string, quote string) int {
	for n, word := range words {
		if n == 0 {
			word = word[strings.Index(word, quote)+1:]
		}
		if strings.Contains(word, quote) {
			return n + 1
		}
	}
	return 1
}
