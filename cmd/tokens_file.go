package cmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/render"
	"ativa/internal/sheet"
	"ativa/internal/system"
)

// tokenRow is a row of the file of `tokens create`.
type tokenRow struct {
	line int
	api.TokenCreate
}

// runTokensFile creates a token for each row of a file, or none if a row is invalid.
func runTokensFile(ctx context.Context, e *cli.Env, p cli.SecretPrinter[tokenItem], file string) error {
	output, err := e.TakeOutput()
	if err != nil {
		return err
	}
	if _, err := os.Lstat(output); err == nil {
		return cli.Usage("%s exists already; secrets in it would be lost", output).WithHint("name a new file with --output-file")
	}
	content, err := cli.ReadFile(ctx, file)
	if err != nil {
		return err
	}
	rows, problems, err := parseTokensFile(file, content, e.Now())
	if err != nil {
		return err
	}
	return withTokens(ctx, e.WithWritableClient, func(ctx context.Context, c *client.Client) error {
		all, err := c.ListTokens(ctx, true)
		if err != nil {
			return err
		}
		own, err := c.AccessToken(ctx)
		if err != nil {
			return err
		}
		if problems = append(problems, tokenProblems(rows, own, all, e.Now())...); len(problems) > 0 {
			return &cli.Failure{Exit: cli.ExitInvalidInput, Code: "invalid_input", Hint: cli.Msg("correct the file, and run the command again"),
				Message: cli.Msg("%s cannot be used, and nothing was made: %s", file, joinMessages(e.Lang, problems))}
		}
		if err := e.Confirm(cli.Confirmation{Title: cli.Msg("make %d access [token|tokens]", len(rows))}); err != nil {
			return err
		}
		return makeTokens(ctx, c, p, rows, output)
	})
}

// makeTokens makes a token for each row. Each secret is on disk before the next token is made.
func makeTokens(ctx context.Context, c *client.Client, p cli.SecretPrinter[tokenItem], rows []tokenRow, output string) error {
	f, err := system.OpenPrivate(output, os.O_CREATE|os.O_EXCL|os.O_WRONLY)
	if err != nil {
		return err
	}
	made, lost := 0, "" // lost is the name of a token that may be made and whose secret is not in f
	err = p.To(syncedFile{f}).List(ctx, func(yield func(cli.SecretRow[tokenItem], error) bool) {
		for _, row := range rows {
			line, err := createToken(ctx, c, row)
			if err == nil || client.MayHaveEffect(err) {
				lost = row.Name
			}
			if !yield(line, err) || err != nil {
				return
			}
			made, lost = made+1, ""
		}
	})
	err = errors.Join(err, f.Close(), system.SyncDir(filepath.Dir(output)))
	switch {
	case err == nil:
		return nil
	case made == 0 && lost == "":
		return errors.Join(err, system.Remove(output))
	}
	exit := exitOf(err)
	if !slices.Contains([]int{cli.ExitAuth, cli.ExitUnavailable, cli.ExitInterrupted}, exit) {
		exit = cli.ExitPartial
	}
	again := cli.Msg("their secrets are in %s; take their lines out of the file, and run the command again with another --output-file", output)
	if lost != "" {
		again = cli.Msg("%s; %s", again, lostSecretHint(lost))
	}
	return &cli.Failure{Exit: exit, Code: "partial", Err: err, Hint: client.HintOfStop(err, again),
		Message: cli.Msg("%d of %d access [token|tokens] were made", made, len(rows))}
}

// createToken creates the token of a row, and waits for its secret even if ctx ends.
func createToken(ctx context.Context, c *client.Client, row tokenRow) (line cli.SecretRow[tokenItem], err error) {
	if err = context.Cause(ctx); err == nil {
		line.Row, line.Secret, err = c.CreateToken(client.Finish(ctx), row.TokenCreate)
	}
	return line, err
}

// syncedFile is a file whose writes are on disk when they return.
type syncedFile struct{ *os.File }

// Write implements [io.Writer].
func (f syncedFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	return n, errors.Join(err, f.Sync())
}

// parseTokensFile returns the rows of a file, and their problems.
func parseTokensFile(file string, content []byte, now time.Time) (rows []tokenRow, problems []cli.Message, err error) {
	invalid := func(why cli.Message) error {
		return &cli.Failure{Exit: cli.ExitInvalidInput, Code: "invalid_input", Message: cli.Msg("%s cannot be used, and nothing was made: %s", file, why),
			Hint: cli.Msg("it is a table (CSV or .xlsx) with the columns name, scopes and expires")}
	}
	table, err := sheet.Table(bytes.NewReader(content))
	if err != nil {
		return nil, nil, invalid(cli.Msg("%s", err))
	}
	header := table[0].Cells
	columns := map[string]int{}
	for i, name := range header {
		column := tokenColumn(name)
		if _, twice := columns[column]; twice {
			return nil, nil, invalid(cli.Msg("the column %q is there twice", name))
		}
		if !slices.Contains([]string{"name", "scopes", "expires"}, column) {
			return nil, nil, invalid(cli.Msg("the column %q is not known", name))
		}
		columns[column] = i
	}
	if _, named := columns["name"]; !named {
		return nil, nil, invalid(cli.Msg("it has no column name"))
	}
	for _, line := range table[1:] {
		cell := func(column string) string {
			if at, known := columns[column]; known && at < len(line.Cells) {
				return line.Cells[at]
			}
			return ""
		}
		row := tokenRow{line: line.Line, TokenCreate: api.TokenCreate{Name: cell("name")}}
		if len(line.Cells) > len(header) {
			problems = append(problems, cli.Msg("line %d: %s", row.line, cli.Msg("it has more cells than the header")))
		}
		for _, scope := range strings.FieldsFunc(cell("scopes"), func(r rune) bool { return r == ' ' || r == ',' || r == ';' }) {
			row.Scopes = append(row.Scopes, api.Scope(strings.ToLower(scope)))
		}
		if expires := cell("expires"); expires != "" {
			ends, err := cli.ParseExpiry(expires, now)
			if err != nil {
				problems = append(problems, cli.Msg("line %d: %s", row.line, err))
			}
			row.ExpiresAt = api.At(ends)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, nil, invalid(cli.Msg("it has no rows"))
	}
	return rows, problems, nil
}

// tokenColumn is the column that a header names, in either language.
func tokenColumn(header string) string {
	name := strings.ToLower(header)
	return cmp.Or(map[string]string{"nome": "name", "permissões": "scopes", "permissoes": "scopes", "validade": "expires"}[name], name) //nolint:misspell // Portuguese
}

// tokenProblems returns what the server would refuse: missing, duplicate or used names,
// and scopes beyond those of the own token.
func tokenProblems(rows []tokenRow, own api.AccessToken, all []tokenItem, now time.Time) (problems []cli.Message) {
	live := 0
	used := map[string]bool{}
	for _, t := range all {
		used[t.Value.Name] = true
		if t.Value.RevokedAt.IsZero() && (t.Value.ExpiresAt.IsZero() || now.Before(t.Value.ExpiresAt.Time)) {
			live++
		}
	}
	lines := map[string]int{}
	for _, row := range rows {
		if problem := row.problem(own, now); !problem.IsEmpty() {
			problems = append(problems, cli.Msg("line %d: %s", row.line, problem))
		}
		switch first, twice := lines[row.Name]; {
		case row.Name == "":
		case twice:
			problems = append(problems, cli.Msg("line %d: the name %s is already in line %d", row.line, row.Name, first))
		case used[row.Name]:
			problems = append(problems, cli.Msg("line %d: the provider has or had a token named %s", row.line, row.Name))
		}
		if lines[row.Name] == 0 {
			lines[row.Name] = row.line
		}
	}
	if live+len(rows) > api.MaxTokens {
		problems = append(problems, cli.Msg("a provider has at most %d live tokens, and %d are live", api.MaxTokens, live))
	}
	return problems
}

// problem returns the problem of a single row.
func (row tokenRow) problem(own api.AccessToken, now time.Time) cli.Message {
	for _, scope := range row.Scopes {
		if !slices.Contains(api.Scopes(), scope) {
			return cli.Msg("there is no scope %q", string(scope))
		}
		if len(own.Scopes) > 0 && !slices.Contains(own.Scopes, scope) {
			return cli.Msg("the token that makes it lacks the scope %s", string(scope))
		}
	}
	switch ends := row.ExpiresAt; {
	case row.Name == "":
		return cli.Msg("the name is missing")
	case ends.IsZero():
	case !now.Before(ends.Time):
		return cli.Msg("the end is in the past")
	case !own.ExpiresAt.IsZero() && ends.After(own.ExpiresAt.Time):
		return cli.Msg("it would end later than the token that makes it")
	}
	switch digits, prefixed := strings.CutPrefix(row.Name, "tok_"); {
	case utf8.RuneCountInString(row.Name) > 60:
		return cli.Msg("the name has more than 60 characters")
	case render.Sanitise(row.Name) != row.Name:
		return cli.Msg("the name holds control or text direction characters")
	case prefixed && !strings.ContainsFunc(digits, func(r rune) bool { return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z') }):
		return cli.Msg("the name looks like the id of a token")
	}
	return cli.Message{}
}
