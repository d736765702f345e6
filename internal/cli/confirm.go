package cli

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ativa/internal/client"
	"ativa/internal/cpf"
	"ativa/internal/render"
	"ativa/internal/settings"
	"ativa/internal/system"
)

// MaskDocument hides all of a CPF but the six digits in its middle.
func MaskDocument(doc string) string { return cpf.Document(doc).Mask() }

// MaskUnlessShown returns a document as tables show it.
func (e *Env) MaskUnlessShown(doc string) string {
	if e.Global.Output.ShowDocuments {
		return doc
	}
	return MaskDocument(cpf.OnlyDigits(doc))
}

// WithClientFor calls WithWritableClient for a command that changes something, else WithClient.
func (e *Env) WithClientFor(ctx context.Context, changes bool, do func(context.Context, *client.Client) error) error {
	if changes {
		return e.WithWritableClient(ctx, do)
	}
	return e.WithClient(ctx, do)
}

// WithWritableClient runs do like WithClient, unless the context is read-only. do must confirm
// changes in a protected context; without a terminal, --yes and --context must name it.
func (e *Env) WithWritableClient(ctx context.Context, do func(context.Context, *client.Client) error) error {
	chosen, err := e.ChosenContext()
	if err != nil {
		return err
	}
	if chosen.ReadOnly {
		return &Failure{Exit: ExitRefused, Code: "read_only", Message: Msg("context %s is read-only; nothing was sent", chosen.Name),
			Hint: Msg("choose another with --context, or `ativa config unset read_only --context %s`", chosen.Name)}
	}
	if e.needsName(chosen) && !e.Interactive() {
		return Usage("context %s is protected", chosen.Name).WithHint("give --yes --context %s", chosen.Name)
	}
	return e.WithClient(ctx, do)
}

// needsName reports whether changes require typing the name of a protected context: it was named
// neither with --yes and --context nor at an earlier question.
func (e *Env) needsName(c settings.Context) bool {
	return c.Protected && !e.named && (!e.Global.yes || e.Global.Context != c.Name)
}

// MostCancellations is the maximum that a yes confirms. Above it the number must be typed
// (cli.md, Commands).
const MostCancellations = 100

// Confirmation is a change that is confirmed before it is sent.
type Confirmation struct {
	Title  Message   // describes the action, without a question mark
	What   []Message // what will happen, line by line
	Always bool      // confirmed outside of protected contexts, too
	// Cancellations is the number of services that end. If there are more than Untyped, the person
	// must type that number.
	Cancellations, Untyped int
}

// AsksToConfirm reports whether [Env.Confirm] asks: for the name of a protected context, and, if
// always, for a yes. Without a terminal a needed answer is a usage error.
func (e *Env) AsksToConfirm(always bool) (bool, error) {
	c, err := e.ChosenContext()
	switch named := err == nil && e.needsName(c); {
	case err != nil || named || !always || e.Global.yes:
		return named, err
	case e.Global.noInput:
		return false, Usage("a confirmation is needed, and --no-input is given").WithHint("give --yes")
	case !e.Interactive():
		return false, Usage("a confirmation is needed, and there is no terminal").WithHint("give --yes")
	}
	return true, nil
}

// Confirm shows what will happen and asks, if [Env.AsksToConfirm] says so. In a protected context the
// name of the context must be typed; it replaces a yes, but not a number.
func (e *Env) Confirm(c Confirmation) error {
	if asks, err := e.AsksToConfirm(c.Always); err != nil || !asks {
		return err
	}
	chosen, err := e.ChosenContext()
	if err != nil {
		return err
	}
	question, named := Msg("%s?", c.Title), e.needsName(chosen)
	typed := c.Cancellations > c.Untyped && !e.Global.yes
	what := c.What
	if named && !typed {
		what = append([]Message{c.Title}, what...)
	}
	for _, line := range what {
		if text := line.Text(e.Lang); text != "" {
			_ = render.WriteMessage(e.Err, "  "+text) // the question fails, too
		}
	}
	switch {
	case typed:
		err = e.ask(Msg("%s Type %d (services that end):", question, c.Cancellations), func(answer string) bool {
			return strings.NewReplacer(",", "", ".", "").Replace(answer) == strconv.Itoa(c.Cancellations)
		})
	case !named:
		err = e.ask(Msg("%s [%s]", question, Msg("y/N")), func(answer string) bool {
			return slices.Contains([]string{"y", "yes", "s", "sim"}, strings.ToLower(answer))
		})
	}
	if err == nil && named {
		err = e.ask(Msg("Context %s is protected. Type its name to continue:", chosen.Name), func(answer string) bool { return answer == chosen.Name })
		e.named = err == nil
	}
	return err
}

// ask asks a question. Keys that were typed before it do not answer it. The end of input is an empty
// answer, and an answer that isYes rejects a usage error.
func (e *Env) ask(question Message, isYes func(answer string) bool) error {
	if terminal, ok := Terminal(e.In); ok {
		_ = system.DiscardInput(int(terminal.Fd())) // the read that follows reports a lost terminal
	}
	fmt.Fprint(e.Err, render.FitMessage(e.Err, question.Text(e.Lang))+" ")
	line, err := bufio.NewReader(e.In).ReadString('\n')
	if !strings.HasSuffix(line, "\n") {
		fmt.Fprintln(e.Err) // the cursor is still behind the question
	}
	if isYes(strings.TrimSpace(line)) {
		return ReadError(err, nil)
	}
	return ReadError(err, Usage("not confirmed; nothing was sent").WithHint("to go on, run it again and type what it asks for"))
}

// ConfirmsRows reports whether a file with this number of rows is confirmed: more than 20 at a terminal
// (cli.md, Commands). A run that is resumed was confirmed before.
func (e *Env) ConfirmsRows(rows int) bool {
	const unasked = 20
	return rows > unasked && e.Resume == "" && isTerminal(e.In) && isTerminal(e.Err)
}

// RowCounts describes the numbers of subscribers, services and e-mails in a file.
func RowCounts(subscribers, services, emails int) Message {
	return Msg("%d [subscriber|subscribers], %d [service|services], at most %d [e-mail|e-mails]", subscribers, services, emails)
}

// Limit is a number, or a share such as 5%. The zero value is no limit.
type Limit struct {
	n       int
	percent float64
	Given   bool
}

// ParseLimit reads a number or a share such as 5%; "" is no limit. Errors name the flag.
func ParseLimit(flag, s string) (Limit, error) {
	if s == "" {
		return Limit{}, nil
	}
	if part, ok := strings.CutSuffix(s, "%"); ok {
		percent, err := strconv.ParseFloat(part, 64)
		if err != nil || !(percent >= 0 && percent <= 100) { // NaN is neither
			return Limit{}, Usage("%s %q: a share is 0%% to 100%%", flag, s)
		}
		return Limit{percent: percent, Given: true}, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return Limit{}, Usage("%s %q is neither a number nor a share such as 5%%", flag, s)
	}
	return Limit{n: n, percent: -1, Given: true}, nil
}

// Exceeded reports whether n of total is more than the limit.
func (l Limit) Exceeded(n, total int) bool {
	if !l.Given {
		return false
	}
	if l.percent >= 0 {
		return float64(n)*100 > l.percent*float64(total)
	}
	return n > l.n
}
