package cmd

import (
	"fmt"
	"strings"

	"ativa/internal/cli"
	"ativa/internal/lang"
	"ativa/internal/settings"
)

// variable is an environment variable that the program reads.
type variable struct{ name, meaning, flag string }

// variables returns all variables; a test compares them with the code.
func variables() []variable {
	all := []variable{{"ATIVA_ACCESS_TOKEN", "the access token; before every other place but --token-stdin and --token-file", ""}}
	return append(append(all, variablesOf(cli.Keys())...),
		variable{webhookSecretVariable, "the secret that ativa events --forward-to signs with, unless --secret-file", ""},
		variable{"CREDENTIALS_DIRECTORY", "systemd's credentials: the access token is its file ativa_access_token", ""},
		variable{"XDG_CONFIG_HOME", "below it ativa/config.yaml; default ~/.config", ""},
		variable{"XDG_STATE_HOME", "below it ativa/imports and the default database; default ~/.local/state", ""},
		variable{"XDG_CACHE_HOME", "below it ativa's bearer tokens; default ~/.cache", ""},
		variable{"HOME", "the home directory, which ~ stands for; on Windows %USERPROFILE% where it is not set", ""},
		variable{"HTTPS_PROXY", "proxy for https, unless one is set", ""},
		variable{"HTTP_PROXY", "proxy for http, unless one is set", ""},
		variable{"NO_PROXY", "hosts that are reached without a proxy", ""},
		variable{"DBUS_SESSION_BUS_ADDRESS", "where the keyring of Linux is reached", ""},
		variable{"LC_ALL", "language of messages, unless --lang: pt_BR.UTF-8 is Portuguese, all but Portuguese is English", ""},
		variable{"LC_MESSAGES", "the same, where LC_ALL is not set", ""},
		variable{"LANG", "the same, where neither is set", ""},
		variable{"NO_COLOR", "if not empty, no colours", ""},
		variable{"CLICOLOR_FORCE", "if not empty and not 0, colours in pipes too", ""},
		variable{"CLICOLOR", "0 turns colours off", ""},
		variable{"TERM", "dumb turns colours and the default pager off; the desk needs another", ""},
		variable{"PAGER", "pager, where neither ATIVA_PAGER nor the key pager is set", ""},
		variable{"LESS", "flags of the pager less; FRX if not set", ""},
		variable{"LESSCHARSET", "encoding of the pager less; utf-8 if not set", ""},
	)
}

// variablesOf returns the environment variables of keys.
func variablesOf(keys []settings.Key) []variable {
	var all []variable
	for _, k := range keys {
		for _, name := range k.Variables {
			flag := ""
			if k.Flag != "" {
				flag = "--" + k.Flag
			}
			all = append(all, variable{name, k.Meaning, flag})
		}
	}
	return all
}

func environmentText(l lang.Language) string {
	var b strings.Builder
	b.WriteString(l.Text("A flag comes before the environment, which comes before the configuration file.") + "\n\n")
	general := variables()
	for i, v := range append(general, variablesOf(serveKeys())...) {
		if i == len(general) {
			b.WriteString("\n" + l.Text("Those of ativa serve; ativa admin reads ATIVA_DB, too:") + "\n\n")
		}
		as := ""
		if v.flag != "" {
			as = l.Textf(", as %s", v.flag)
		}
		fmt.Fprintf(&b, "  %-25s %s\n", v.name, l.Text(v.meaning)+as)
	}
	return strings.TrimRight(b.String(), "\n")
}
