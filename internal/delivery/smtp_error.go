package delivery

import (
	"errors"
	"fmt"
	"net/textproto"
	"regexp"
	"slices"
	"strings"

	"github.com/wneessen/go-mail"
)

// classifyError turns the error of a sending into a *PermanentError or a
// *TemporaryError. Only a refusal of the recipient or of the text concerns the
// e-mail; every other error concerns the mail server as a whole. The result
// leaves out the server's text, which often repeats the recipient.
func (s *SMTPMailer) classifyError(err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*mail.SendError](err)
	if !ok {
		return &TemporaryError{Err: s.redact(err), DestinationDown: true}
	}
	code := e.ErrorCode()
	refusal := fmt.Errorf("%w: %s", errMailServer, describeRefusal(e))
	switch {
	case code == 0:
		return &TemporaryError{Err: fmt.Errorf("%w: the connection was lost", refusal), DestinationDown: true}
	case code == 421 || e.Reason == mail.ErrSMTPMailFrom || isConnectionFault(e):
		return &TemporaryError{Err: refusal, DestinationDown: true}
	case code >= 500 && !(e.Reason == mail.ErrSMTPDataClose && isSyntaxCode(code)):
		return &PermanentError{refusal}
	}
	return &TemporaryError{Err: refusal}
}

// describeRefusal returns the codes of a refusal and the command that the server
// refused.
func describeRefusal(e *mail.SendError) string {
	at := map[mail.SendErrReason]string{
		mail.ErrSMTPMailFrom: "the sender", mail.ErrSMTPRcptTo: "the recipient", mail.ErrSMTPData: "the text", mail.ErrWriteContent: "the text",
		mail.ErrSMTPDataClose: "the text", mail.ErrConnCheck: "the connection", mail.ErrSMTPReset: "the next e-mail",
	}[e.Reason]
	if at == "" {
		at = "the e-mail"
	}
	text := "at " + at
	if e.ErrorCode() != 0 {
		text = codes(e.ErrorCode(), e.EnhancedStatusCode()) + " " + text
	}
	return text
}

// codes returns the code of a refusal, and the enhanced one where there is one.
func codes(code int, enhanced string) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, enhanced))
}

// isConnectionFault reports whether a refusal is about authentication or the use
// of the protocol, not about the e-mail. 501 to the recipient is about the
// address, and any code after the text is about the text.
func isConnectionFault(e *mail.SendError) bool {
	code := e.ErrorCode()
	aboutEmail := e.Reason == mail.ErrSMTPDataClose || e.Reason == mail.ErrSMTPRcptTo && code == 501
	return slices.Contains([]int{530, 534, 535, 538}, code) || isSyntaxCode(code) && !aboutEmail
}

// isSyntaxCode reports whether a code says that the server does not understand
// the command (RFC 5321, 4.2.2).
func isSyntaxCode(code int) bool { return code >= 500 && code <= 504 }

// isRecipientRefusal reports whether the server refused a recipient and is ready
// for the next e-mail.
func isRecipientRefusal(err error) bool {
	e, ok := errors.AsType[*mail.SendError](err)
	return ok && e.Reason == mail.ErrSMTPRcptTo && e.ErrorCode() >= 400 && e.ErrorCode() != 421
}

// closedBeforeSend reports whether the connection was closed before the server
// took anything of the e-mail.
func closedBeforeSend(err error) bool {
	e, ok := errors.AsType[*mail.SendError](err)
	if !ok {
		return false
	}
	closed := e.ErrorCode() == 0 || e.ErrorCode() == 421
	return e.Reason == mail.ErrConnCheck || e.Reason == mail.ErrSMTPMailFrom && closed
}

// redact returns the error of a failed connection without the server's text and
// the password.
func (s *SMTPMailer) redact(err error) error {
	if response, ok := errors.AsType[*textproto.Error](err); ok {
		return fmt.Errorf("%w: %s at the connection", errMailServer, codes(response.Code, enhancedCode(response.Msg)))
	}
	text := withoutHost(err).Error()
	if s.server.password != "" {
		text = strings.ReplaceAll(text, s.server.password, "***")
	}
	return fmt.Errorf("%w: %s", errMailServer, text)
}

// enhancedCode returns the enhanced status code (RFC 3463) at the start of a
// response's text.
func enhancedCode(msg string) string {
	return regexp.MustCompile(`^[245]\.\d{1,3}\.\d{1,3}`).FindString(msg)
}
