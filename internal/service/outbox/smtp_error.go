package outbox

import (
	"errors"
	"fmt"
	"net/textproto"
	"regexp"
	"strings"
)

var errMailServer = errors.New("mail server")

// smtpStage is a step of sending an e-mail. It completes the phrase "at the".
type smtpStage string

const (
	connectionStage smtpStage = "connection"
	senderStage     smtpStage = "sender"
	recipientStage  smtpStage = "recipient"
	textStage       smtpStage = "text"
)

// concern is what a refusal is about (decisions.md 8).
type concern string

const (
	concernsAddress concern = "address" // of the subscriber
	concernsEmail   concern = "email"   // only this e-mail
	concernsServer  concern = "server"  // every e-mail: the server, the sender, a policy or a quota
)

// refusal is why a mail server did not accept an e-mail. Its text omits the server's, which often
// repeats the recipient.
type refusal struct {
	stage    smtpStage
	code     int    // 0: the connection was lost
	enhanced string // status code of RFC 3463, or ""
	concern  concern
}

// newRefusal returns the refusal that the error of a command means.
func newRefusal(stage smtpStage, err error) *refusal {
	response, ok := errors.AsType[*textproto.Error](err)
	if !ok {
		return &refusal{stage: stage, concern: concernsServer}
	}
	r := &refusal{stage: stage, code: response.Code, enhanced: enhancedCode(response.Msg)}
	if stage == recipientStage {
		r.stage = refusedStage(response.Msg)
	}
	r.concern = r.concerns()
	return r
}

// Error returns the codes and the stage.
func (r *refusal) Error() string {
	if r.code == 0 {
		return fmt.Sprintf("%s: at the %s: the connection was lost", errMailServer, r.stage)
	}
	return fmt.Sprintf("%s: %s at the %s", errMailServer, strings.TrimSpace(fmt.Sprintf("%d %s", r.code, r.enhanced)), r.stage)
}

// refusedStage returns the stage that a response to RCPT refuses. Servers delay the refusal of
// HELO, AUTH and MAIL until then (Postfix: smtpd_delay_reject), some with a code that is also used
// for recipients, so only the text tells them apart.
func refusedStage(text string) smtpStage {
	address := regexp.MustCompile(`[^\s<>"'(),:;@]+@[^\s<>"'(),:;@]+`) // which the server may repeat, with any word in it
	text = strings.ToLower(address.ReplaceAllString(text, "***"))
	switch {
	case regexp.MustCompile(`\b(helo|ehlo|client host|auth\w*|log ?in|relay(ing)? (not|denied|access))\b`).MatchString(text):
		return connectionStage
	case regexp.MustCompile(`\bsender\b`).MatchString(text):
		return senderStage
	}
	return recipientStage
}

// concerns returns what the refusal concerns, according to its enhanced code, or its code if there
// is none. X.0.0 says no more than the code.
func (r *refusal) concerns() concern {
	if r.stage != recipientStage && r.stage != textStage || r.code == 421 {
		return concernsServer
	}
	_, subject, _ := strings.Cut(r.enhanced, ".")
	switch {
	case subject == "1.7", subject == "1.8": // the sender's address
		return concernsServer
	case strings.HasPrefix(subject, "1."), strings.HasPrefix(subject, "2."):
		return concernsAddress
	case r.stage == textStage && (subject == "3.4" || strings.HasPrefix(subject, "6.")): // too large, malformed
		return concernsEmail
	case subject != "" && subject != "0.0":
		return concernsServer
	}
	switch r.code {
	case 450, 550, 551, 553:
		if r.stage == recipientStage {
			return concernsAddress
		}
	case 552: // too large
		if r.stage == textStage {
			return concernsEmail
		}
	}
	return concernsServer
}

// classifyError turns a *refusal into a *DeliveryError. Only a final refusal of the recipient's address
// ends the delivery; after any other error the e-mail waits until the server accepts it.
func classifyError(err error) error {
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		return err
	}
	return &DeliveryError{Err: r, Permanent: r.concern == concernsAddress && r.code >= 500, DestinationDown: r.concern == concernsServer}
}

// closedBeforeSend reports whether the connection was closed before the server accepted any part
// of the e-mail.
func closedBeforeSend(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.stage == senderStage && (r.code == 0 || r.code == 421)
}

// redact returns the error of a failed connection without the server's text and the password.
func (s *SMTPMailer) redact(err error) error {
	if response, ok := errors.AsType[*textproto.Error](err); ok {
		return newRefusal(connectionStage, response)
	}
	text := withoutHost(err).Error()
	if s.server.password != "" {
		text = strings.ReplaceAll(text, s.server.password, "***")
	}
	return fmt.Errorf("%w: %s", errMailServer, text)
}

// enhancedCode returns the enhanced status code (RFC 3463) at the start of a response's text.
func enhancedCode(msg string) string {
	return regexp.MustCompile(`^[245]\.\d{1,3}\.\d{1,3}\b`).FindString(msg)
}
