package support

import (
	"cmp"
	"strconv"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
)

// Title describes the step with person and product: "Cancel Play Basic of Ana Souza for
// good".
func (s Step) Title() lang.Message { return s.withTime(s.title()) }

// whenLayout formats a future time, to the minute.
const whenLayout = "2006-01-02 15:04"

// withTime adds the execution time and the end of the effect to a title.
func (s Step) withTime(title lang.Message) lang.Message {
	switch {
	case !s.At.IsZero():
		return lang.Msg("%s, on %s", title, s.At.Format(whenLayout))
	case s.Operation == api.Settle && !s.Until.IsZero():
		return lang.Msg("%s, on trust until %s; unless it is paid, the service is suspended again then", title, s.Until.Format(whenLayout))
	case !s.Until.IsZero():
		return lang.Msg("%s, until %s; then it is cancelled", title, s.Until.Format(whenLayout))
	}
	return title
}

func (s Step) title() lang.Message {
	return s.titleFor(lang.Msg("%s", cmp.Or(s.Name, cpf.Document(s.Document).Mask())))
}

// titleFor returns the title with the words for the services' owner.
func (s Step) titleFor(who lang.Message) lang.Message {
	product := ProductName(s.Product)
	switch s.TakesBack {
	case api.Suspend:
		return lang.Msg("Undo the suspension of %s of %s", product, who)
	case api.Overdue:
		return lang.Msg("Undo the suspension for lack of payment of %s of %s", product, who)
	}
	switch s.Operation {
	case api.Activate:
		return lang.Msg("Activate %s for %s", product, who)
	case api.Suspend:
		return lang.Msg("Suspend %s of %s", product, who)
	case api.Overdue:
		return lang.Msg("Suspend %s of %s for lack of payment", product, who)
	case api.Settle:
		return lang.Msg("Register the payment and reactivate %s of %s", product, who)
	case api.Change:
		return lang.Msg("Change %s of %s to %s", product, who, ProductName(s.To))
	case lifecycle.Resend:
		if s.Product.ID == 0 {
			return lang.Msg("Send the activation e-mails of %s again; earlier links stop working", who)
		}
		return lang.Msg("Send the activation e-mail of %s to %s again; earlier links stop working", product, who)
	}
	return lang.Msg("Cancel %s of %s for good", product, who)
}

// TitleOf returns the title for n subscribers.
func (s Step) TitleOf(n int) lang.Message {
	return s.withTime(s.titleFor(lang.Msg("%d [subscriber|subscribers]", n)))
}

// ProductName returns the display name of a product: its name, else its code or id.
func ProductName(p api.Product) string {
	return cmp.Or(p.Name, p.Code, strconv.FormatInt(int64(p.ID), 10))
}
