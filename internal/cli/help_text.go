package cli

import (
	"regexp"
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
