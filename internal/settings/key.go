package settings

import (
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"ativa/internal/lang"
)

// Key is one setting (cli.md, Configuration).
type Key struct {
	Name      string   // in the file, lower case
	Flag      string   // without dashes; empty for none
	Variables []string // environment variables; the first non-empty one counts
	Default   string
	Meaning   string
	// Words are the possible values, if known.
	Words []string
	// Check returns the problem of a value, empty for none. Nil accepts Words, or any value
	// without Words.
	Check func(string) lang.Message
	// InContext means that the key belongs to a context.
	InContext bool
	List      bool // elements are separated by commas
	Map       bool // a mapping; each of its entries is a line "name: value" of the text
	Secret    bool // lists show *** for it
	IsFile    bool // a file name
	NotInFile bool
}

// Wrong returns the problem of a value, empty for none.
func (k Key) Wrong(value string) lang.Message {
	switch {
	case k.Check != nil:
		return k.Check(value)
	case k.Words != nil:
		return OneOf(k.Words...)(value)
	}
	return lang.Message{}
}

// WholePath returns the absolute path of a file, because the next command may run in another
// directory.
func WholePath(typed string) string {
	if typed == "" {
		return ""
	}
	whole, err := filepath.Abs(typed)
	if err != nil { // the working directory is gone
		return typed
	}
	return whole
}

// Entries reads the text of a mapping.
func Entries(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		all[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return all
}

// isBool reports whether the key is boolean.
func (k Key) isBool() bool { return k.Default == "true" || k.Default == "false" }

// Shown returns a value of the key without secrets, for lists.
func (k Key) Shown(value string) string {
	switch {
	case value == "":
		return ""
	case k.Map: // its values may be secret, its names not
		return strings.Join(slices.Sorted(maps.Keys(Entries(value))), ", ")
	case k.Secret:
		return "***"
	}
	// The password in a text of keys and values, as libpq accepts it; its quote may be missing.
	password := regexp.MustCompile(`(?i)\b(\w*password)\s*=\s*('(?:[^'\\]|\\.)*'?|(?:[^\s&\\]|\\.)+)`)
	keywords := regexp.MustCompile(`^\s*[a-z][a-z0-9_]*\s*=`)
	userinfo := regexp.MustCompile(`:[^/@]+@`)
	switch {
	case password.MatchString(value) && (keywords.MatchString(value) || !strings.Contains(value, "://")):
		return password.ReplaceAllString(value, "$1=xxxxx")
	case !strings.Contains(value, "://") && userinfo.MatchString(value):
		return "***" // meant as a URL
	case !strings.Contains(value, "://"):
		return value
	}
	u, err := url.Parse(value)
	if err != nil || u.Opaque != "" {
		return "***" // it may hold a secret
	}
	query := u.Query()
	for name := range query {
		if strings.Contains(strings.ToLower(name), "password") {
			query.Set(name, "xxxxx")
			u.RawQuery = query.Encode()
		}
	}
	if _, secret := u.User.Password(); secret || u.RawQuery != "" {
		return u.Redacted()
	}
	return value
}

// Named returns the key with the name, or an error if there is none.
func Named(keys []Key, name string) (Key, error) {
	i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return Key{}, unknownKey(name, names(keys))
	}
	return keys[i], nil
}

func names(keys []Key) []string {
	var all []string
	for _, k := range keys {
		all = append(all, k.Name)
	}
	return all
}

// Unless returns wrong if ok is false, else an empty message.
func Unless(ok bool, wrong lang.Message) lang.Message {
	if ok {
		return lang.Message{}
	}
	return wrong
}

// OneOf checks that a value is one of the words.
func OneOf(words ...string) func(string) lang.Message {
	return func(value string) lang.Message {
		return Unless(slices.Contains(words, value), lang.Msg("is one of %s; not %q", strings.Join(words, ", "), value))
	}
}

// IsBool checks that a value is true or false.
func IsBool(value string) lang.Message { return OneOf("true", "false")(value) }

// ParseSpan reads a length of time such as 30s, 12h or 90d.
func ParseSpan(text string) (time.Duration, error) {
	days, found := strings.CutSuffix(text, "d")
	n, err := strconv.ParseUint(days, 10, 16) // up to 179 years
	if !found || err != nil {
		return time.ParseDuration(text)
	}
	return time.Duration(n) * 24 * time.Hour, nil
}

// IsDuration checks that a value is a length of time that is not negative.
func IsDuration(value string) lang.Message {
	d, err := ParseSpan(value)
	return Unless(err == nil && d >= 0, lang.Msg("is a time such as 30s, 12h or 90d; not %q", value))
}

// IsNumber checks that a value is a whole number.
func IsNumber(value string) lang.Message {
	_, err := strconv.Atoi(value)
	return Unless(err == nil, lang.Msg("is a whole number; not %q", value))
}

// FlagKeys returns a key for each flag: its name has _ for -, and its variable is ATIVA_ with the
// name in capitals. checks, by key, apply to flags whose type has no check, and to lengths of time.
func FlagKeys(flags *pflag.FlagSet, checks map[string]func(string) lang.Message) []Key {
	var keys []Key
	flags.VisitAll(func(f *pflag.Flag) {
		name := strings.ReplaceAll(f.Name, "-", "_")
		k := Key{Name: name, Flag: f.Name, Variables: []string{"ATIVA_" + strings.ToUpper(name)}, Default: f.DefValue, Meaning: f.Usage, Check: checks[name]}
		switch f.Value.Type() {
		case "stringSlice":
			k.List, k.Default = true, strings.Trim(f.DefValue, "[]")
		case "bool":
			k.Check = IsBool
		case "duration":
			if k.Check == nil {
				k.Check = IsDuration
			}
		case "int":
			k.Check = IsNumber
		}
		keys = append(keys, k)
	})
	return keys
}
