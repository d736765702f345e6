package server

import (
	"strings"

	"ativa/internal/lang"
	"ativa/internal/service/rules"
)

// language returns the language of the page: the first supported one of Accept-Language, which is the
// preferred one in browsers, or the default.
func (c *requestContext) language() lang.Language {
	for wish := range strings.SplitSeq(c.r.Header.Get("Accept-Language"), ",") {
		tag, _, _ := strings.Cut(wish, ";")
		if l, known := lang.Parse(strings.TrimSpace(tag)); known {
			return l
		}
	}
	return c.s.o.Language
}

// pageText is the text of the page for one state of a link.
type pageText struct {
	Title  string
	Text   string
	Button string
	Next   string // what the person can do next
}

// linkError is the state of a failed request, besides those of a link.
const linkError rules.LinkState = -1

func pageTextOf(l lang.Language, state rules.LinkState) pageText {
	t := map[rules.LinkState]pageText{
		rules.LinkUnknown:     {"Link not found", "This activation link does not exist. Perhaps the address is incomplete.", "", ""},
		rules.LinkReady:       {"Activate your service", "One step is left: press the button to start using it.", "Activate now", "You did not ask for this? Close the page: nothing is activated."},
		rules.LinkDone:        {"Service activated", "Done! Your service is available now.", "", "You can close this page."},
		rules.LinkActive:      {"Service already active", "Your service is active. There is nothing left to do.", "", "You can close this page."},
		rules.LinkUsed:        {"Link already used", "This activation link has been used, and works only once.", "", "If the service is not available, contact your internet provider."},
		rules.LinkReplaced:    {"Link replaced", "A newer e-mail was sent, and this link no longer works.", "", ""},
		rules.LinkExpired:     {"Link expired", "The time to use this activation link is over.", "", ""},
		rules.LinkSuspended:   {"Service suspended", "This service is suspended, or being suspended, and cannot be activated with this link.", "", "Contact your internet provider to use it again."},
		rules.LinkClosed:      {"Activation unavailable", "This service was cancelled or is being cancelled, or its activation failed.", "", "Contact your internet provider."},
		rules.LinkUnavailable: {"Activation not possible right now", "This service cannot be activated at the moment.", "", "Try again later. If it goes on, contact your internet provider."},
		linkError:             {"Something went wrong", "It could not be completed now. Nothing is lost.", "", "Try again in a few minutes. If it goes on, tell your provider this code:"},
	}[state]
	next := l.Text(t.Next)
	if t.Next == "" {
		next = l.Text("Look for the most recent activation e-mail in your inbox, or ask your internet provider for a new one.")
	}
	return pageText{l.Text(t.Title), l.Text(t.Text), l.Text(t.Button), next}
}
