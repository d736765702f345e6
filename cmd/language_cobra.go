package cmd

import (
	"regexp"
	"strings"

	"ativa/internal/lang"
)

// complaint is a message of cobra or pflag that a person may meet.
type complaint struct {
	pattern *regexp.Regexp
	english string
}

// complaints are those about flags and arguments. They are only looked at when
// there is one.
func complaints() []complaint {
	one := func(pattern, english string) complaint {
		return complaint{regexp.MustCompile("^" + pattern + "$"), english}
	}
	return []complaint{
		one(`unknown flag: (.*)`, "unknown flag: %s"),
		one(`unknown shorthand flag: (.*) in (.*)`, "unknown shorthand flag: %s in %s"),
		one(`flag needs an argument: (.*)`, "flag needs an argument: %s"),
		one(`invalid argument (".*") for (".*") flag: time: .*`, "invalid argument %s for %s flag: a time is written as 30s or 2m"),
		one(`invalid argument (".*") for (".*") flag: strconv\..*`, "invalid argument %s for %s flag: a number is needed"),
		one(`invalid argument (".*") for (".*") flag: (.*)`, "invalid argument %s for %s flag: %s"),
		one(`unknown command (".*") for (".*")`, "unknown command %s for %s"),
	}
}

// complained is a usage error out of one of cobra's, in words that are known.
func complained(err error) *failure {
	for _, c := range complaints() {
		if m := c.pattern.FindStringSubmatch(err.Error()); m != nil {
			args := make([]any, len(m)-1)
			for i, part := range m[1:] {
				args[i] = part
			}
			return usage(c.english, args...)
		}
	}
	return usage("%s", err)
}

// helpIn puts into a language what cobra and pflag write into a help page
// themselves. The kinds of values keep their width, so that columns stay.
func helpIn(page []byte, l lang.Language) []byte {
	if l == lang.English {
		return page
	}
	kind := regexp.MustCompile(`(?m)^( +(?:-\w, )?(?:    )?--[a-z-]+ )(string|strings|stringArray|int|duration|float)( |$)`)
	page = kind.ReplaceAllFunc(page, func(match []byte) []byte {
		parts := kind.FindSubmatch(match)
		word := l.Text(string(parts[2]))
		fill := max(len(parts[2])-len([]rune(word)), 0)
		return []byte(string(parts[1]) + word + strings.Repeat(" ", fill) + string(parts[3]))
	})
	text := string(page)
	for _, word := range helpWordsOfCobra() {
		text = strings.ReplaceAll(text, word, l.Text(word))
	}
	return []byte(text)
}

func helpWordsOfCobra() []string { return []string{"(default ", "[flags]", "[command]"} }

// kindsOfValues are pflag's names of what a flag takes.
func kindsOfValues() []string {
	return []string{"string", "strings", "stringArray", "int", "duration", "float"}
}
