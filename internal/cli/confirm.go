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
	if e.NeedsContextName(chosen) && !e.Interactive() {
		return Usage("context %s is protected", chosen.Name).WithHint("give --yes --context %s", chosen.Name)
	}
	return e.WithClient(ctx, do)
}

// NeedsContextName reports whether a protected context was not named with --yes and --context.
func (e *Env) NeedsContextName(c settings.Context) bool {
	return c.Protected && (!e.Global.yes || e.Global.Context != c.Name)
}

// AsksForContext reports whether changes require typing the name of the chosen context.
func (e *Env) AsksForContext() (bool, error) {
	c, err := e.ChosenContext()
	return err == nil && e.NeedsContextName(c), err
}

// ConfirmProtected shows what will happen in a protected context and asks for its name. For any
// other context it does nothing.
func (e *Env) ConfirmProtected(what []Message) error {
	c, err := e.ChosenContext()
	if err != nil || !e.NeedsContextName(c) {
		return err
	}
	return e.ask(Msg("Context %s is protected. Type its name to continue:", c.Name), what, func(answer string) bool { return answer == c.Name })
}

// ask shows what will happen and asks. An answer that isYes rejects is a usage error.
func (e *Env) ask(question Message, what []Message, isYes func(answer string) bool) error {
	for _, line := range what {
		if text := line.Text(e.Lang); text != "" {
			_ = render.WriteMessage(e.Err, "  "+text) // the question fails, too
		}
	}
	fmt.Fprint(e.Err, render.FitMessage(e.Err, question.Text(e.Lang))+" ")
	answer, err := e.ReadLine()
	if err == nil && !isYes(answer) {
		err = Usage("not confirmed; nothing was sent").WithHint("to go on, run it again and type what it asks for")
	}
	return err
}

// ReadLine reads an answer. At the end of input the answer is empty; the only error is an interruption.
func (e *Env) ReadLine() (string, error) {
	line, err := bufio.NewReader(e.In).ReadString('\n')
	if !strings.HasSuffix(line, "\n") {
		fmt.Fprintln(e.Err) // the cursor is still behind the question
	}
	return strings.TrimSpace(line), ReadError(err, nil)
}

// AsksToConfirm reports whether the person will be asked. Without a terminal and without --yes it
// returns a usage error.
func (e *Env) AsksToConfirm() (bool, error) {
	switch {
	case e.Global.yes || e.Interactive():
	case e.Global.noInput:
		return false, Usage("a confirmation is needed, and --no-input is given").WithHint("give --yes")
	default:
		return false, Usage("a confirmation is needed, and there is no terminal").WithHint("give --yes")
	}
	return !e.Global.yes, nil
}

// Confirm shows what will happen and asks, unless --yes was given. Without a terminal and without
// --yes it returns a usage error.
func (e *Env) Confirm(question Message, what []Message) error {
	if asks, err := e.AsksToConfirm(); err != nil || !asks {
		return err
	}
	return e.ask(Msg("%s [%s]", question, Msg("y/N")), what, func(answer string) bool {
		return slices.Contains([]string{"y", "yes", "s", "sim"}, strings.ToLower(answer))
	})
}

// WillAsk reports whether [Env.ConfirmOnce] asks anything. Without a terminal a needed answer is a
// usage error.
func (e *Env) WillAsk() (bool, error) {
	if protected, err := e.AsksForContext(); err != nil || protected {
		return protected, err
	}
	return e.AsksToConfirm()
}

// MostCancellations is the maximum that a yes confirms. Above it the number must be typed
// (cli.md, Commands).
const MostCancellations = 100

// ConfirmOnce asks to confirm the action that title describes; cancellations is the number of services
// that end. If there are more than untyped, the person must type that number. In a protected context
// the name of the context must be typed, too, and replaces a yes.
func (e *Env) ConfirmOnce(title Message, what []Message, cancellations, untyped int) error {
	question := Msg("%s?", title)
	if cancellations > untyped && !e.Global.yes {
		if err := e.confirmNumber(question, what, cancellations); err != nil {
			return err
		}
		return e.ConfirmProtected(nil)
	}
	if protected, err := e.AsksForContext(); err != nil || protected {
		return e.ConfirmProtected(append([]Message{title}, what...)) // or the error
	}
	return e.Confirm(question, what)
}

// ConfirmRows asks before a file of more than 20 rows is sent from a terminal (cli.md, Commands).
// A run that is resumed was confirmed before.
func (e *Env) ConfirmRows(rows int, question, counts Message) error {
	const unasked = 20
	if rows <= unasked || e.Resume != "" || !isTerminal(e.In) || !isTerminal(e.Err) {
		return nil
	}
	return e.Confirm(question, []Message{counts})
}

// RowCounts describes the numbers of subscribers, services and e-mails in a file.
func RowCounts(subscribers, services, emails int) Message {
	return Msg("%d [subscriber|subscribers], %d [service|services], at most %d [e-mail|e-mails]", subscribers, services, emails)
}

// confirmNumber asks to type the number of services that end, with or without separators.
func (e *Env) confirmNumber(question Message, what []Message, n int) error {
	if _, err := e.AsksToConfirm(); err != nil {
		return err
	}
	return e.ask(Msg("%s Type %d (services that end):", question, n), what, func(answer string) bool {
		return strings.NewReplacer(",", "", ".", "").Replace(answer) == strconv.Itoa(n)
	})
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
