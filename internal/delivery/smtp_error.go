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

// classifyError tells what the outcome of a letter means. Only an answer to the
// recipient or to the text concerns this letter; all else is about the way to
// the mail server. The server's words are left out: they often repeat the
// recipient.
func (s *SMTPMailer) classifyError(err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*mail.SendError](err)
	if !ok {
		return &TemporaryError{Err: s.redact(err), DestinationDown: true}
	}
	code := e.ErrorCode()
	told := fmt.Errorf("%w: %s", errMailServer, refusalStage(e))
	switch {
	case code == 0:
		return &TemporaryError{Err: fmt.Errorf("%w: the connection was lost", told), DestinationDown: true}
	case code == 421 || e.Reason == mail.ErrSMTPMailFrom || isConnectionFault(e):
		return &TemporaryError{Err: told, DestinationDown: true}
	case code >= 500 && !(e.Reason == mail.ErrSMTPDataClose && isSyntaxCode(code)):
		return &PermanentError{told}
	}
	return &TemporaryError{Err: told}
}

// refusalStage says where the server refused, and with which codes.
func refusalStage(e *mail.SendError) string {
	at := map[mail.SendErrReason]string{
		mail.ErrSMTPMailFrom: "the sender", mail.ErrSMTPRcptTo: "the recipient", mail.ErrSMTPData: "the text", mail.ErrWriteContent: "the text",
		mail.ErrSMTPDataClose: "the text", mail.ErrConnCheck: "the connection", mail.ErrSMTPReset: "the next letter",
	}[e.Reason]
	if at == "" {
		at = "the letter"
	}
	text := "at " + at
	if e.ErrorCode() != 0 {
		text = strings.TrimSpace(fmt.Sprintf("%d %s", e.ErrorCode(), e.EnhancedStatusCode())) + " " + text
	}
	return text
}

// isConnectionFault reports whether a refusal says that we are not signed in or speak
// wrongly. 501 at the recipient is about the address, and what is said after
// the text about the text: a fault of one letter says nothing of the way.
func isConnectionFault(e *mail.SendError) bool {
	code := e.ErrorCode()
	letters := e.Reason == mail.ErrSMTPDataClose || e.Reason == mail.ErrSMTPRcptTo && code == 501
	return slices.Contains([]int{530, 534, 535, 538}, code) || isSyntaxCode(code) && !letters
}

// isSyntaxCode are the codes of RFC 5321 4.2.2 for commands that are not understood.
func isSyntaxCode(code int) bool { return code >= 500 && code <= 504 }

// isRecipientRefusal reports whether the server refused a recipient and is ready
// for the next letter.
func isRecipientRefusal(err error) bool {
	e, ok := errors.AsType[*mail.SendError](err)
	return ok && e.Reason == mail.ErrSMTPRcptTo && e.ErrorCode() >= 400 && e.ErrorCode() != 421
}

// closedBeforeSend reports whether a connection turned out to be closed before
// anything of the letter was taken.
func closedBeforeSend(err error) bool {
	e, ok := errors.AsType[*mail.SendError](err)
	if !ok {
		return false
	}
	gone := e.ErrorCode() == 0 || e.ErrorCode() == 421
	return e.Reason == mail.ErrConnCheck || e.Reason == mail.ErrSMTPMailFrom && gone
}

// redact is the error of a connection that could not be made, without the
// server's own words and the password.
func (s *SMTPMailer) redact(err error) error {
	if answer, ok := errors.AsType[*textproto.Error](err); ok {
		return fmt.Errorf("%w: %d %s", errMailServer, answer.Code, enhancedCode(answer.Msg))
	}
	text := err.Error()
	if s.server.password != "" {
		text = strings.ReplaceAll(text, s.server.password, "***")
	}
	return fmt.Errorf("%w: %s", errMailServer, text)
}

// enhancedCode is the enhanced status code (RFC 3463) at the start of an answer.
func enhancedCode(msg string) string {
	return regexp.MustCompile(`^[245]\.\d{1,3}\.\d{1,3}`).FindString(msg)
}
