package cmd

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/credentials"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
	"ativa/internal/run"
	"ativa/internal/service/domain"
	"ativa/internal/sheet"
	"ativa/internal/sheet/columns"
	"ativa/internal/support"
)

// Every text for people has a translation: the help of all commands, the texts in the source, the
// messages of spreadsheets, the refusals of the API.
func TestEverythingSaidHasATranslation(t *testing.T) {
	texts := map[string]string{} // text → source
	add := func(where, text string) {
		if strings.ContainsFunc(text, isLetter) && !slices.Contains(sameInBoth(), text) && !strings.HasPrefix(text, "\tativa ") {
			texts[text] = where
		}
	}
	helpTexts(add)
	literals := sourceTexts(t, add)
	listedTexts(add)
	for text := range lang.Translated() {
		if _, said := texts[text]; !said && !literals[text] && !slices.Contains(sameInBoth(), text) {
			t.Errorf("%q is unused: remove its translation", text)
		}
	}
	for text, where := range texts {
		if strings.Contains(lang.Portuguese.Text(text), "diretório") {
			t.Errorf("%s: a directory is a pasta in the translation of %q", where, text)
		}
		if !lang.Has(text) {
			t.Errorf("%s: no translation of %q", where, text)
		} else if got, want := verbs(lang.Portuguese.Text(text)), verbs(text); !slices.Equal(got, want) {
			t.Errorf("%s: the translation of %q has the verbs %v, want %v", where, text, got, want)
		}
	}
	if len(texts) < 1400 {
		t.Errorf("only %d texts were found: is the search still right?", len(texts))
	}
}

func TestWordsOfTablesAndEventsAreKnown(t *testing.T) {
	for _, s := range api.Statuses() {
		if lang.Portuguese.Status(s.Name) == s.Name || lang.English.Status(s.Name) != s.Name {
			t.Errorf("status %s: got %q", s.Name, lang.Portuguese.Status(s.Name))
		}
	}
	for _, word := range []string{
		"yes", "no", api.ResultCreated, api.ResultExisting, api.ResultDuplicate, api.ResultFailed, api.ResultAccepted, api.ResultUnchanged,
		api.ResultSent, api.ResultSkipped, api.DeliveryWaiting, api.DeliverySuperseded, api.DeliveryEmail, api.DeliveryPartner, run.StateRunning, run.StateInterrupted, run.StateFinished,
		api.ScheduleWaiting, api.ScheduleDone, api.ScheduleCancelled, api.ScheduleRefused, string(api.Overdue), string(api.Settle),
		run.ActionCreate, run.ActionUpdate, run.ActionActivate, run.ActionChange, run.ActionSuspend, run.ActionReactivate, run.ActionDeactivate, run.ActionRefused, run.ActionInvalid, run.ActionUnschedule, run.ActionDelete,
	} {
		if lang.Portuguese.Word(word) == word || lang.English.Word(word) != word {
			t.Errorf("%s: got %q", word, lang.Portuguese.Word(word))
		}
	}
	triggers := []string{"create", "import", "update", "delete"}
	for r := domain.RequestActivate; r <= domain.RequestSettle; r++ {
		triggers = append(triggers, r.String())
	}
	for trigger := domain.Suspend; trigger.String() != ""; trigger++ {
		triggers = append(triggers, trigger.String())
	}
	for _, trigger := range triggers {
		if support.TriggerMessage(trigger).English == "%s" {
			t.Errorf("%s has none", trigger)
		}
	}
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// verbs are the verbs of a format and the placeholders in braces, sorted.
func verbs(s string) []string {
	all := regexp.MustCompile(`%%|%[-+#0-9.]*[a-zA-Z]\b|\{[a-zA-Z]+\}`).FindAllString(s, -1)
	slices.Sort(all)
	return all
}

// helpTexts are the texts of all help pages, by paragraph.
func helpTexts(add func(where, text string)) {
	for _, c := range commands() {
		if c.Hidden {
			continue
		}
		where := "help of " + c.CommandPath()
		add(where, c.Short)
		for _, group := range c.Groups() {
			add(where, group.Title)
		}
		for paragraph := range strings.SplitSeq(c.Long, "\n\n") {
			isTable := strings.HasPrefix(paragraph, "  ATIVA_") || strings.HasPrefix(paragraph, "  name  ") || strings.HasPrefix(paragraph, "      --context") // composed of parts
			if !isTable && !strings.HasPrefix(paragraph, "Exit codes: ") && strings.TrimSuffix(paragraph, ".") != c.Short {
				add(where, paragraph)
			}
		}
		for _, flags := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
			flags.VisitAll(func(f *pflag.Flag) {
				if f.Name != "help" { // added by cobra, with the name of the command
					kind, usage := pflag.UnquoteUsage(f)
					add(where+" --"+f.Name, usage)
					add(where+" --"+f.Name, kind)
				}
			})
		}
	}
}

// listedTexts adds the texts that the program has in lists, and those that it composes.
func listedTexts(add func(where, text string)) {
	for code, text := range sheet.Messages() {
		add("sheet "+code, text)
	}
	for _, a := range columns.Aliases() {
		add("field of a file", strings.ReplaceAll(a.Field, "_", " "))
	}
	for _, s := range api.Statuses() {
		add("meaning of "+s.Name, lifecycle.Meaning(s.Name))
		add("category", string(api.CategoryOf(s.ID)))
	}
	for _, r := range []credentials.Reason{credentials.NotFound, credentials.NoSessionBus, credentials.TimedOut, credentials.ReadableByOthers, credentials.Malformed, credentials.Unavailable} {
		add("credentials", r.Text())
	}
	for _, c := range cli.FlagMessages() {
		add("complaint", c.English)
	}
	for _, v := range slices.Concat(variables(), variablesOf(serveKeys())) {
		add("variable "+v.name, v.meaning)
	}
	for _, a := range []domain.Actor{domain.ActorProvider, domain.ActorSubscriber, domain.ActorPartner, domain.ActorOperator, domain.ActorSystem} {
		add("history", string(a))
	}
	for _, text := range []string{noAnswer, notSent, lifecycle.WaitsForYou, "access token", "callback", "partner", "mail server", "mail directory",
		"activation", "reactivation", "suspension", "suspension for lack of payment", "cancellation", "change of product",
		"no answer came; the e-mail may have been sent", "it is disabled or was removed", "its address is not https", "it takes only addresses without accents",
		"a proxy asks for a user name and a password", "the answer points to another address", "a search term has at most 32 different words",
		"%q is not an event cursor", "the URL is not one",
		"the sender's address is not one", "the recipient's address is not accepted"} {
		add("composed", text)
	}
}

// sameInBoth are texts that need no translation.
func sameInBoth() []string {
	return []string{"\techo \"autoload -U compinit; compinit\" >> ~/.zshrc", "\tsource <(ativa completion bash)", "\tsource <(ativa completion zsh)",
		"#### Linux:", "#### macOS:", "  %s", "%s", "%s: %s", "%s?", "%s [%s]", "%s…", "CPF", "%s, %s", "%s; %s", "%d %s", "%s %s", "%s (%s)", "%d × %s", "proxy", "callback", "--listen %s", "\n$ ativa %s\n", "status", "id", "url", "e-mail"}
}

// withoutText are codes of the API that a person sees with the server's words: they are about the
// request of a program.
func withoutText() []string {
	return []string{"malformed_json", "unsupported_encoding", "invalid_signature", "method_not_allowed", "unsupported_media_type", "link_invalid", "validation_failed",
		"invalid_cursor", "idempotency_key_reused", "internal", "required", "wrong_type", "duplicate_in_request"}
}
