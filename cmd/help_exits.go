package cmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/lang"
)

// exitCode is an exit code with its help (cli.md, Exit codes).
type exitCode struct {
	code       int
	name, when string
}

func exitCodes() []exitCode {
	return []exitCode{
		{cli.ExitOK, "ok", "done; also an empty list, and what was done already"},
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

// describe adds the exit codes to the long text of a command. Only help and the generated pages
// call it, so that other commands start faster.
func describe(c *cobra.Command, l lang.Language) {
	if c.HasSubCommands() || c.Hidden || !c.HasParent() {
		return
	}
	if c.Long == "" {
		c.Long = c.Short + "."
	}
	codes, _ := cli.Annotation(c, cli.ExitCodes)
	c.Long = strings.TrimRight(c.Long, "\n") + "\n\n" + exitCodesLine(codes, l)
}

// exitCodesLine returns a line such as "Exit codes: 0 ok, 1 error, 2 usage."
func exitCodesLine(codes string, l lang.Language) string {
	var words []string
	for _, c := range exitCodes() {
		if c.code <= cli.ExitUsage || strings.Contains(" "+codes+" ", " "+strconv.Itoa(c.code)+" ") {
			words = append(words, fmt.Sprintf("%d %s", c.code, c.name))
		}
	}
	return l.Textf("Exit codes: %s; see `ativa help exit-codes`.", strings.Join(words, ", "))
}
