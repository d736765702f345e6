package cmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/lang"
)

// exitCode is an exit code as help explains it (cli.md, Exit codes).
type exitCode struct {
	code       int
	name, when string
}

func exitCodes() []exitCode {
	return []exitCode{
		{cli.ExitOK, "ok", "done; also an empty list, and what already was as wanted"},
		{cli.ExitError, "error", "unexpected"},
		{cli.ExitUsage, "usage", "unknown command, flag, argument or config key, or a needed answer; nothing was sent"},
		{cli.ExitNotFound, "not_found", "the document, product or context does not exist"},
		{cli.ExitAuth, "auth", "no, wrong or expired credentials; the keyring is unavailable, locked or silent; a certificate that is not trusted"},
		{cli.ExitRefused, "refused", "a rule or a conflict"},
		{cli.ExitInvalidInput, "invalid_input", "a file failed its check; nothing was sent"},
		{cli.ExitPartial, "partial", "some items done, some not; see the report"},
		{cli.ExitPending, "pending", "accepted, not final within --timeout; or queued by the limit, with --strict"},
		{cli.ExitUnavailable, "unavailable", "network, TLS, time-out or an overloaded server: try again later"},
		{cli.ExitInterrupted, "interrupted", "Ctrl-C; progress is saved"},
		{cli.ExitTerminated, "terminated", "SIGTERM; progress is saved"},
	}
}

func exitCodesText() string {
	var b strings.Builder
	for _, c := range exitCodes() {
		fmt.Fprintf(&b, "%4d  %-14s %s\n", c.code, c.name, c.when)
	}
	return b.String() + `
With -o json or -o jsonl an error is also one JSON object on stderr, whose code says
more: one of the API's codes, or a name of this table.`
}

// exitCodesByCommand lists the codes beside 0, 1 and 2 that a command or a group of them
// can end with. The longest name that fits counts.
func exitCodesByCommand() map[string]string {
	const connected = "3 4 9 130 143"
	return map[string]string{
		"":                       "",
		"login":                  connected,
		"logout":                 "3 4",
		"auth":                   connected,
		"auth status":            "3 4",
		"subscribers":            connected,
		"subscribers search":     connected + " 7",
		"subscribers get":        connected + " 7",
		"subscribers create":     connected + " 5",
		"subscribers update":     connected + " 5",
		"subscribers delete":     connected + " 5",
		"subscribers resend":     connected + " 5",
		"subscribers history":    connected + " 5",
		"subscribers deliveries": connected + " 5",
		"subscribers import":     connected + " 5 6 7 8",
		"provision":              connected + " 5 6 7 8",
		"provision change":       connected + " 5 8",
		"products":               connected,
		"desk":                   connected,
		"status":                 connected,
		"imports":                connected,
		"imports resume":         connected + " 5 6 7 8",
		"imports undo":           connected + " 5 7",
		"sync":                   connected + " 5 6 7 8",
		"report":                 connected + " 5",
		"report reconcile":       connected + " 5 6 7",
		"events":                 connected + " 5",
		"api":                    connected + " 5",
		"config":                 "3",
		"context":                "3",
		"doctor":                 connected,
		"serve":                  "9",
		"admin":                  "3 5 9",
		"demo":                   "130 143",
		"help":                   "",
		"completion":             "",
		"version":                "",
	}
}

// describe completes the long text of a command with its exit codes, and that of
// a topic with the topic. It is done when somebody asks for help, and for the
// generated pages: other commands start without.
func describe(c *cobra.Command, l lang.Language) {
	const done = "described"
	if c.HasSubCommands() || c.Hidden || !c.HasParent() || c.Annotations[done] != "" {
		return
	}
	c.Annotations = map[string]string{done: "yes"}
	name := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
	for _, t := range topics() {
		if name == "help "+t.name {
			c.Long = t.text(l)
		}
	}
	if c.Long == "" {
		c.Long = c.Short + "."
	}
	table := exitCodesByCommand()
	codes, known := table[name]
	for !known {
		name = name[:max(strings.LastIndex(name, " "), 0)]
		codes, known = table[name]
	}
	c.Long = strings.TrimRight(c.Long, "\n") + "\n\n" + exitCodesLine(codes, l)
}

// exitCodesLine is one line such as "Exit codes: 0 ok, 1 error, 2 usage."
func exitCodesLine(codes string, l lang.Language) string {
	var words []string
	for _, c := range exitCodes() {
		if c.code <= cli.ExitUsage || strings.Contains(" "+codes+" ", " "+strconv.Itoa(c.code)+" ") {
			words = append(words, fmt.Sprintf("%d %s", c.code, c.name))
		}
	}
	return l.Textf("Exit codes: %s; see `ativa help exit-codes`.", strings.Join(words, ", "))
}
