package cli

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagMessage is a message of cobra or pflag that a person may see.
type flagMessage struct {
	pattern *regexp.Regexp
	English string
}

// FlagMessages returns the messages about flags and arguments.
func FlagMessages() []flagMessage {
	one := func(pattern, english string) flagMessage {
		return flagMessage{regexp.MustCompile("^" + pattern + "$"), english}
	}
	return []flagMessage{
		one(`unknown flag: (.*)`, "unknown flag: %s"),
		one(`unknown shorthand flag: (.*) in (.*)`, "unknown shorthand flag: %s in %s"),
		one(`flag needs an argument: (.*)`, "flag needs an argument: %s"),
		one(`invalid argument (".*") for (".*") flag: time: .*`, "invalid argument %s for %s flag: a time is written as 30s, 12h or 90d"),
		one(`invalid argument (".*") for (".*") flag: strconv\..*`, "invalid argument %s for %s flag: a number is needed"),
		one(`invalid argument (".*") for (".*") flag: (.*)`, "invalid argument %s for %s flag: %s"),
		one(`unknown command (".*") for (".*")`, "unknown command %s for %s"),
		one(`if any flags in the group .* none of the others can be; \[(\S+) (\S+)\] were all set`, "--%s and --%s exclude each other"),
		one(`if any flags in the group \[(\S+) (\S+)\] are set they must all be set; .*`, "--%s and --%s go together"),
	}
}

// FlagError turns an error of cobra into a usage error whose message can be translated.
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

// mayBeEmpty is the annotation of flags that take an empty value.
const mayBeEmpty = "ativa_may_be_empty"

// CheckFlags refuses a command line without a flag that the command requires, with flags that
// exclude each other, or with an empty value: a script whose variable is empty would select, allow
// or change more than it means.
func CheckFlags(c *cobra.Command) error {
	var missing []string
	var empty error
	c.Flags().VisitAll(func(f *pflag.Flag) {
		_, required := f.Annotations[cobra.BashCompOneRequiredFlag]
		_, clears := f.Annotations[mayBeEmpty]
		value := f.Value.String()
		switch {
		case required && (!f.Changed || value == ""):
			missing = append(missing, "--"+f.Name)
		case f.Changed && !clears && (value == "" || value == "[]"):
			empty = cmp.Or(empty, error(Usage("flag needs an argument: %s", "--"+f.Name)))
		}
	})
	if len(missing) > 0 {
		return Usage("missing: %s", strings.Join(missing, ", "))
	}
	if empty != nil {
		return empty
	}
	if err := c.ValidateFlagGroups(); err != nil {
		return FlagError(err)
	}
	return nil
}

// AllowEmpty marks flags whose empty value removes the stored one.
func AllowEmpty(c *cobra.Command, flags ...string) {
	for _, flag := range flags {
		_ = c.Flags().SetAnnotation(flag, mayBeEmpty, nil) // fails for a flag that does not exist
	}
}

// Require marks flags as required for [CheckFlags].
func Require(c *cobra.Command, flags ...string) {
	for _, flag := range flags {
		_ = c.MarkFlagRequired(flag) // fails for a flag that does not exist
	}
}
