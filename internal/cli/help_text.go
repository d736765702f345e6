package cli

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"ativa/internal/lang"
)

// flagMessage is a message of cobra or pflag that a person may meet.
type flagMessage struct {
	pattern *regexp.Regexp
	English string
}

// FlagMessages are those about flags and arguments. They are only looked at when
// there is one.
func FlagMessages() []flagMessage {
	one := func(pattern, english string) flagMessage {
		return flagMessage{regexp.MustCompile("^" + pattern + "$"), english}
	}
	return []flagMessage{
		one(`unknown flag: (.*)`, "unknown flag: %s"),
		one(`unknown shorthand flag: (.*) in (.*)`, "unknown shorthand flag: %s in %s"),
		one(`flag needs an argument: (.*)`, "flag needs an argument: %s"),
		one(`invalid argument (".*") for (".*") flag: time: .*`, "invalid argument %s for %s flag: a time is written as 30s or 2m"),
		one(`invalid argument (".*") for (".*") flag: strconv\..*`, "invalid argument %s for %s flag: a number is needed"),
		one(`invalid argument (".*") for (".*") flag: (.*)`, "invalid argument %s for %s flag: %s"),
		one(`unknown command (".*") for (".*")`, "unknown command %s for %s"),
	}
}

// FlagError is a usage error out of one of cobra's, in words that are known.
func FlagError(err error) *Failure {
	for _, c := range FlagMessages() {
		if m := c.pattern.FindStringSubmatch(err.Error()); m != nil {
			args := make([]any, len(m)-1)
			for i, part := range m[1:] {
				args[i] = part
			}
			return Usage(c.English, args...)
		}
	}
	return Usage("%s", err)
}

// TranslateHelp puts into a language what cobra and pflag write into a help page
// themselves.
func TranslateHelp(page []byte, l lang.Language) []byte {
	if l == lang.English {
		return page
	}
	var out bytes.Buffer
	for line := range strings.Lines(string(page)) {
		switch text := strings.TrimSuffix(line, "\n"); {
		case strings.HasPrefix(line, " ") && strings.HasPrefix(strings.TrimSpace(line), "-"):
			line = translateFlag(line, l)
		case slices.Contains(CobraUsageTexts(), text):
			line = l.Text(text) + "\n"
		case strings.HasPrefix(line, `Use "`):
			line = strings.Replace(line, "Use", l.Text("Use"), 1)
			const more = "for more information about a command."
			line = strings.Replace(line, more, l.Text(more), 1)
		}
		for _, word := range CobraHelpTexts() {
			line = strings.ReplaceAll(line, word, l.Text(word))
		}
		out.WriteString(line)
	}
	return out.Bytes()
}

// translateFlag puts the kind of value in the line of a flag into a language. It keeps
// its width, so that columns stay.
func translateFlag(line string, l lang.Language) string {
	at := strings.Index(line, "--")
	if at < 0 {
		return line
	}
	name, rest, _ := strings.Cut(line[at:], " ")
	for _, kind := range FlagTypes() {
		if after, is := strings.CutPrefix(rest, kind+" "); is {
			word := l.Text(kind)
			return line[:at] + name + " " + word + strings.Repeat(" ", 1+max(len(kind)-len([]rune(word)), 0)) + after
		}
	}
	return line
}

// CobraHelpTexts are the texts of cobra's own help that are translated.
func CobraHelpTexts() []string { return []string{"(default ", "[flags]", "[command]"} }

// FlagTypes are pflag's names of what a flag takes.
func FlagTypes() []string {
	return []string{"string", "strings", "stringArray", "int", "duration", "float"}
}
