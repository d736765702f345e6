package cli

import (
	"strings"

	"github.com/spf13/pflag"
)

// listFlag is the value of a flag that may be given several times. pflag's own lists format their
// default with a CSV writer: 4 kB for each flag of each command, at every start.
type listFlag struct {
	values *[]string
	kind   string // as pflag names it: a stringSlice splits values at commas, a stringArray does not
}

// AddListFlag adds a flag whose values commas separate; it may be given several times.
func AddListFlag(f *pflag.FlagSet, to *[]string, name, usage string) {
	f.Var(listFlag{to, "stringSlice"}, name, usage)
}

// AddRepeatedFlag adds a flag that may be given several times, each time with one value.
func AddRepeatedFlag(f *pflag.FlagSet, to *[]string, name, shorthand, usage string) {
	f.VarP(listFlag{to, "stringArray"}, name, shorthand, usage)
}

var _ pflag.SliceValue = listFlag{}

func (l listFlag) Type() string       { return l.kind }
func (l listFlag) GetSlice() []string { return *l.values }

// String returns "" for none, which pflag does not show as a default.
func (l listFlag) String() string {
	if len(*l.values) == 0 {
		return ""
	}
	return "[" + strings.Join(*l.values, ",") + "]"
}

func (l listFlag) Set(text string) error {
	if l.kind == "stringArray" {
		return l.Append(text)
	}
	if text != "" {
		*l.values = append(*l.values, strings.Split(text, ",")...)
	}
	return nil
}

// Append and Replace implement [pflag.SliceValue].

func (l listFlag) Append(value string) error {
	*l.values = append(*l.values, value)
	return nil
}

func (l listFlag) Replace(values []string) error {
	*l.values = values
	return nil
}
