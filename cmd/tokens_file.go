package cmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
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

// tokensFileRun makes a token for each row of a file.
type tokensFileRun struct {
	*cli.Env
	client  *client.Client
	printer cli.SecretPrinter[tokenItem]
	output  string // the file of the secrets, written when all are made
	made    *madeTokens
	lost    *tokenItem // was made by the interrupted command, and its secret did not arrive
}

// runTokensFile makes a token for each row of a file, or none when a row is wrong. It goes on
// with what an interrupted command has made.
func runTokensFile(ctx context.Context, e *cli.Env, p cli.SecretPrinter[tokenItem], file string) (err error) {
	output, err := e.TakeOutput()
	if err != nil {
		return err
	}
	rows, problems, err := readTokensFile(file, e.Now())
	if err != nil {
		return err
	}
	unlock, err := lockTokens(ctx, e)
	defer unlock()
	if err != nil {
		return err
	}
	chosen, err := e.ChosenContext()
	if err != nil {
		return err
	}
	made, err := readMadeTokens(output+".partial", strings.TrimSuffix(chosen.Server, "/"))
	if err != nil {
		return err
	}
	if _, err := os.Lstat(output); err == nil && made.isNew() {
		return cli.Usage("%s exists already; secrets in it would be lost", output).WithHint("name a new file with --output-file")
	}
	return withTokens(ctx, e, true, func(ctx context.Context, c *client.Client) error {
		r := &tokensFileRun{Env: e, client: c, printer: p, output: output, made: made}
		all, err := r.others(ctx)
		if err != nil {
			return err
		}
		rows = slices.DeleteFunc(rows, func(row tokenRow) bool { return made.has(row.Name) })
		own, err := c.AccessToken(ctx)
		if err != nil {
			return err
		}
		if problems = append(problems, tokenProblems(rows, own, all, e.Now())...); len(problems) > 0 {
			return &cli.Failure{Exit: cli.ExitInvalidInput, Code: "invalid_input", Hint: cli.Msg("correct the file, and run the command again"),
				Message: cli.Msg("%s cannot be used, and nothing was made: %s", file, joinMessages(e.Lang, problems))}
		}
		return r.run(ctx, rows)
	})
}

// lockTokens lets one command at a time make tokens from a file. unlock is never nil.
func lockTokens(ctx context.Context, e *cli.Env) (unlock func(), err error) {
	dir, err := e.StateDir()
	if err != nil {
		return func() {}, err
	}
	unlock, err = system.LockFile(ctx, filepath.Join(dir, "tokens"), 0)
	if errors.Is(err, context.DeadlineExceeded) {
		err = &cli.Failure{Exit: cli.ExitUnavailable, Code: "running", Message: cli.Msg("another `ativa tokens create --file` is running"), Hint: cli.Msg("wait for it, or stop it")}
	}
	return unlock, err
}

// others returns the tokens of the provider but the one whose secret is lost. What was made
// before must be among them: else it was on another server.
func (r *tokensFileRun) others(ctx context.Context) ([]tokenItem, error) {
	all, err := r.client.ListTokens(ctx, true)
	if err != nil {
		return nil, err
	}
	for _, m := range r.made.rows {
		t := m.Row.Value
		if !slices.ContainsFunc(all, func(o tokenItem) bool {
			return o.Value.ID == t.ID && o.Value.Name == t.Name && o.Value.CreatedAt.Equal(t.CreatedAt.Time)
		}) {
			return nil, &cli.Failure{Exit: cli.ExitInvalidInput, Code: "other_run", Message: cli.Msg("%s: the provider has no token %s; nothing was made", r.made.path, t.Name),
				Hint: cli.Msg("it is of another provider: choose that with --context, or name another file with --output-file")}
		}
	}
	return slices.DeleteFunc(all, func(t tokenItem) bool {
		isLost := r.made.asked != "" && t.Value.Name == r.made.asked && t.Value.RevokedAt.IsZero() && t.Value.LastUsedAt.IsZero()
		if isLost {
			r.lost = &t
		}
		return isLost
	}), nil
}

// run makes the tokens that are missing, and prints all.
func (r *tokensFileRun) run(ctx context.Context, rows []tokenRow) (err error) {
	defer func() { err = errors.Join(err, r.made.close()) }()
	before := len(r.made.rows)
	if len(rows) > 0 {
		if err := r.ConfirmProtected([]cli.Message{cli.Msg("make %d access [token|tokens]", len(rows))}); err != nil {
			return err
		}
	}
	if r.made.isNew() {
		r.Notice("until all are made, their secrets stand in %s", r.made.path)
	} else {
		r.Notice("going on: %d access [token|tokens] were made before, %d are missing", before, len(rows))
	}
	if r.lost != nil && !slices.ContainsFunc(rows, func(row tokenRow) bool { return row.Name == r.lost.Value.Name }) {
		r.Notice("%s was made before the interruption, its secret did not arrive, and its row is gone; revoke it, or rotate it", r.lost.Value.Name)
	}
	for _, row := range rows {
		if err := r.create(ctx, row); err != nil {
			return r.incomplete(err, before+len(rows))
		}
	}
	text, err := r.printer.ListText(ctx, r.made.rows)
	if err == nil {
		err = r.made.finish(r.output, text)
	}
	if err != nil {
		return r.incomplete(err, before+len(rows))
	}
	return nil
}

// create makes the token of a row. The one whose secret is lost gets another one.
func (r *tokensFileRun) create(ctx context.Context, row tokenRow) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := r.made.ask(row.Name); err != nil {
		return err
	}
	whole := context.WithoutCancel(ctx) // what is in flight is waited for
	var t tokenItem
	var secret string
	var err error
	if r.lost != nil && r.lost.Value.Name == row.Name {
		r.Notice("%s was made before the interruption, and its secret did not arrive: it gets another one", row.Name)
		t, secret, err = r.client.RotateToken(whole, r.lost.Value.ID, 0)
	} else {
		t, secret, err = r.client.CreateToken(whole, row.TokenCreate)
	}
	switch {
	case err == nil:
		return r.made.add(t, secret)
	case client.MayHaveEffect(err):
		return err
	}
	return errors.Join(err, r.made.refuse())
}

// incomplete is the error of a run that ended early. What was made stays, and its secrets.
func (r *tokensFileRun) incomplete(err error, total int) error {
	if len(r.made.rows) == 0 && r.made.asked == "" {
		return errors.Join(err, r.made.remove())
	}
	exit := exitOf(err)
	if !slices.Contains([]int{cli.ExitAuth, cli.ExitUnavailable, cli.ExitInterrupted}, exit) {
		exit = cli.ExitPartial
	}
	again := cli.Msg("their secrets stand in %s; run the same command again: it makes the rest", r.made.path)
	return &cli.Failure{Exit: exit, Code: "partial", Err: err, Hint: client.HintOfStop(err, again),
		Message: cli.Msg("%d of %d access [token|tokens] were made", len(r.made.rows), total)}
}

// readTokensFile reads the rows of a file, and what is wrong with their values.
func readTokensFile(file string, now time.Time) (rows []tokenRow, problems []cli.Message, err error) {
	invalid := func(why cli.Message) error {
		return &cli.Failure{Exit: cli.ExitInvalidInput, Code: "invalid_input", Message: cli.Msg("%s cannot be used, and nothing was made: %s", file, why),
			Hint: cli.Msg("it is a CSV file with the columns name, scopes and expires")}
	}
	content, err := os.ReadFile(file)
	if bytes.HasPrefix(content, []byte("PK\x03\x04")) {
		return nil, nil, invalid(cli.Msg("it is a workbook; save it as CSV"))
	}
	text := ""
	if err == nil {
		text, err = sheet.Text(content)
	}
	if err != nil {
		return nil, nil, invalid(cli.Msg("%s", err))
	}
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	head, _, _ := strings.Cut(text, "\n")
	if i := strings.IndexAny(head, ";,\t"); i >= 0 {
		r.Comma = rune(head[i])
	}
	header, err := r.Read()
	if err != nil {
		return nil, nil, invalid(cli.Msg("it has no header"))
	}
	columns := map[string]int{}
	for i, name := range header {
		column := tokenColumn(name)
		if _, twice := columns[column]; twice {
			return nil, nil, invalid(cli.Msg("the column %q stands twice", name))
		}
		if !slices.Contains([]string{"name", "scopes", "expires"}, column) {
			return nil, nil, invalid(cli.Msg("the column %q is not known", name))
		}
		columns[column] = i
	}
	if _, named := columns["name"]; !named {
		return nil, nil, invalid(cli.Msg("it has no column name"))
	}
	records, err := r.ReadAll()
	switch {
	case err != nil:
		return nil, nil, invalid(cli.Msg("%s", err))
	case len(records) == 0:
		return nil, nil, invalid(cli.Msg("it has no rows"))
	}
	for i, record := range records {
		cell := func(column string) string {
			if at, known := columns[column]; known && at < len(record) {
				return strings.TrimSpace(record[at])
			}
			return ""
		}
		row := tokenRow{line: i + 2, TokenCreate: api.TokenCreate{Name: cell("name")}}
		if len(record) > len(header) {
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
	return rows, problems, nil
}

// tokenColumn is the column that a header names, in either language.
func tokenColumn(header string) string {
	name := strings.ToLower(strings.TrimSpace(header))
	return cmp.Or(map[string]string{"nome": "name", "permissões": "scopes", "permissoes": "scopes", "validade": "expires"}[name], name) //nolint:misspell // Portuguese
}

// tokenProblems says what the server would refuse: names that are missing, stand twice or
// were ever used, and more than the own token may give.
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
			problems = append(problems, cli.Msg("line %d: the name %s stands in line %d already", row.line, row.Name, first))
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

// problem says what is wrong with a row by itself.
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
