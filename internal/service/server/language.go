package server

import (
	"cmp"
	"net/http"
	"strings"

	"ativa/internal/lang"
	"ativa/internal/service/rules"
)

// language returns the language of the page: the first supported one of Accept-Language, which is the
// preferred one in browsers, or the default.
func (c *requestContext) language() lang.Language {
	for preference := range strings.SplitSeq(c.r.Header.Get("Accept-Language"), ",") {
		tag, _, _ := strings.Cut(preference, ";")
		if l, known := lang.Parse(strings.TrimSpace(tag)); known {
			return l
		}
	}
	return c.s.o.Language
}

// linkPage describes the page for one state of a link. Its texts are English.
type linkPage struct {
	status int
	mood   string // colours of the page: good, wait or bad
	icon   string // one of the icons; the text says the same

	title, text, button string
	next                string // what the person can do next; "" is to look for a newer e-mail
}

// linkFailed is the state of a request that failed, besides the states of a link.
const linkFailed rules.LinkState = -1

// linkPageOf returns the page for a state. Its status is 410 for a link that no longer works, 404
// for one that never existed, and 0 for linkFailed, which has the status of its error.
func linkPageOf(state rules.LinkState) linkPage {
	const ok, unknown, gone = http.StatusOK, http.StatusNotFound, http.StatusGone
	return map[rules.LinkState]linkPage{
		rules.LinkUnknown:     {unknown, "bad", iconExclamation, "Link not found", "This activation link does not exist. Perhaps the address is incomplete.", "", ""},
		rules.LinkReady:       {ok, "good", iconPower, "Activate your service", "One step is left: press the button to start using it.", "Activate now", "You did not ask for this? Close the page: nothing is activated."},
		rules.LinkDone:        {ok, "good", iconTick, "Service activated", "Done! Your service is available now.", "", "You can close this page."},
		rules.LinkActive:      {ok, "good", iconTick, "Service already active", "Your service is active. There is nothing left to do.", "", "You can close this page."},
		rules.LinkUsed:        {gone, "wait", iconTick, "Link already used", "This activation link has been used, and works only once.", "", "If the service is not available, contact your internet provider."},
		rules.LinkReplaced:    {gone, "wait", iconLetter, "Link replaced", "A newer e-mail was sent, and this link no longer works.", "", ""},
		rules.LinkExpired:     {gone, "wait", iconClock, "Link expired", "The time to use this activation link is over.", "", ""},
		rules.LinkSuspended:   {gone, "wait", iconPause, "Service suspended", "This service is suspended, or being suspended, and cannot be activated with this link.", "", "Contact your internet provider to use it again."},
		rules.LinkClosed:      {gone, "wait", iconExclamation, "Activation unavailable", "This service was cancelled or is being cancelled, or its activation failed.", "", "Contact your internet provider."},
		rules.LinkUnavailable: {gone, "wait", iconClock, "Activation not possible right now", "This service cannot be activated at the moment.", "", "Try again later. If it goes on, contact your internet provider."},
		linkFailed:            {0, "bad", iconExclamation, "Something went wrong", "It could not be completed now. Nothing is lost.", "", "Try again in a few minutes. If it goes on, tell your provider this code:"},
	}[state]
}

// newerEmail is the advice on a page whose state has no other.
const newerEmail = "Look for the most recent activation e-mail in your inbox, or ask your internet provider for a new one."

// data returns the data of the template that every page has.
func (p linkPage) data(l lang.Language) pageData {
	return pageData{
		Language: l.Tag(), Mood: p.mood, Icon: p.icon,
		Title: l.Text(p.title), Text: l.Text(p.text), Button: l.Text(p.button), Next: l.Text(cmp.Or(p.next, newerEmail)),
	}
}
