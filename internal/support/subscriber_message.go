package support

import (
	"slices"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
)

// SubscriberMessage returns a text to send to the subscriber by WhatsApp or SMS: the state of each
// service, always in Portuguese, because the subscriber reads it. Cancelled services are left out
// unless all are cancelled. It names no status, no limit of the provider and no document.
func (o *Overview) SubscriberMessage() string {
	first, _, _ := strings.Cut(strings.TrimSpace(o.Subscriber.Name), " ")
	var lines, ended []string
	for i, s := range o.Subscriber.Services {
		switch {
		case !lifecycle.Ended(s.StatusID):
			lines = append(lines, o.subscriberLine(i))
		case !o.hasLater(i):
			ended = append(ended, o.subscriberLine(i))
		}
	}
	if len(lines) == 0 {
		lines = ended
	}
	var text lang.Message
	switch len(lines) {
	case 0:
		text = lang.Msg("Hello, %s! You have no content service with us yet.", first)
	case 1:
		text = lang.Msg("Hello, %s! %s", first, lines[0])
	default:
		text = lang.Msg("Hello, %s! This is how your services stand:\n%s", first, "- "+strings.Join(lines, "\n- "))
	}
	return text.Text(lang.Portuguese) + o.instructions()
}

// instructions explain the use of active services and those soon confirmed.
func (o *Overview) instructions() (all string) {
	for i, s := range o.Subscriber.Services {
		p, _ := o.Product(s.ProductID)
		lines := Instructions(p)
		if status := o.plainStatus(i); len(lines) > 0 && (status == api.StatusActive || status == api.StatusInProgress) {
			all += "\n\n" + lang.Msg("How to use %s:", ProductName(p)).Text(lang.Portuguese) + "\n" + strings.Join(lines, "\n")
		}
	}
	return all
}

// Instructions are the lines that explain the use of a product, the address for details
// last.
func Instructions(p api.Product) []string {
	text := strings.TrimSpace(string(p.Instructions) + "\n" + string(p.HelpURL))
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// plainStatus is the status of a service; an unknown status of an incomplete activation
// counts as an activation.
func (o *Overview) plainStatus(i int) api.Int {
	if o.activationIncomplete(i, o.statusChangesOf(i)) {
		return api.StatusInProgress
	}
	return o.Subscriber.Services[i].StatusID
}

// subscriberLine describes the state of a service to the subscriber.
func (o *Overview) subscriberLine(i int) string {
	s := o.Subscriber.Services[i]
	p, _ := o.Product(s.ProductID)
	p.ID = s.ProductID
	if s.ProductName != "" {
		p.Name = s.ProductName
	}
	status := o.plainStatus(i)
	message := subscriberMessage(status, ProductName(p), o.Subscriber.Email)
	mails := slices.DeleteFunc(o.deliveriesOf(i), func(d api.Delivery) bool { return d.Kind != api.DeliveryEmail })
	if status == api.StatusInProgress && len(mails) > 0 { // only the link of the newest works
		message = mailMessage(ProductName(p), o.Subscriber.Email, mails, o.Now)
	}
	return message.Text(lang.Portuguese)
}

// mailMessage says what the subscriber can do with the newest of the activation e-mails.
func mailMessage(product, email string, mails []api.Delivery, now time.Time) lang.Message {
	switch d := mails[0]; {
	case d.State == api.DeliverySent && !d.LastAttemptAt.IsZero():
		return linkMessage(product, email, d.LastAttemptAt.Add(linkLifetime), now)
	case d.State == api.DeliveryWaiting && !lastMail(mails).IsZero():
		return lang.Msg("the activation e-mail of %s is on its way to %s. Only its link works now, not that of the one before.", product, email)
	case d.State == api.DeliveryFailed:
		return lang.Msg("we could not send the activation e-mail of %s to %s. Tell us the right address, and we send another.", product, email)
	}
	return subscriberMessage(api.StatusInProgress, product, email)
}

// linkLifetime is the validity of an activation link on a server that reports its deliveries
// (decisions.md 8).
const linkLifetime = 7 * 24 * time.Hour

// linkMessage gives the expiry of the link.
func linkMessage(product, email string, until, now time.Time) lang.Message {
	if !now.Before(until) {
		return lang.Msg("the link in the activation e-mail of %s has expired. Tell us, and we send another to %s.", product, email)
	}
	return lang.Msg("to start using %s, open the activation e-mail at %s (have a look at the spam folder, too) and follow its link, which works until %s. If you cannot find it, tell us and we send another.", product, email, until.In(now.Location()).Format("02/01"))
}

func subscriberMessage(status api.Int, product, email string) lang.Message {
	switch status {
	case api.StatusActive:
		return lang.Msg("%s is active and ready to use.", product)
	case api.StatusInProgress:
		return lang.Msg("to start using %s, open the activation e-mail at %s (have a look at the spam folder, too) and follow its link. If you cannot find it, tell us and we send another.", product, email)
	case api.StatusLimitReached:
		return lang.Msg("the activation of %s is in the queue and goes on by itself; you get an e-mail when it is your turn.", product)
	case api.StatusReactivated:
		return lang.Msg("we are reactivating %s; it works again soon.", product)
	case api.StatusChanged:
		return lang.Msg("the change to %s is under way and will be done soon.", product)
	case api.StatusSuspend, api.StatusWaitingSuspension:
		return lang.Msg("%s is suspended. To use it again, talk to us.", product)
	case api.StatusOverdue, api.StatusWaitingSuspensionDueToOverdue:
		return lang.Msg("%s is suspended because a payment is missing. It comes back when the payment is confirmed.", product)
	case api.StatusWaitingCancellation, api.StatusCanceled, api.StatusCanceledWithoutActivation:
		return lang.Msg("%s is cancelled. To have it again, talk to us.", product)
	case api.StatusError:
		return lang.Msg("there was a problem with %s, and we are looking into it.", product)
	}
	return lang.Msg("we are finding out how %s stands and will tell you.", product)
}
