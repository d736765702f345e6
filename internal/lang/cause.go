package lang

import (
	"regexp"
	"strings"
)

// Cause is the reason of a failure outside this program, as an argument of a message. It is the
// English text of the system, of a network library or of the service's outbox, meant for
// engineers. In a language it becomes plain words; [Codes] keeps it unchanged.
type Cause string

// causeText is the plain text for causes that contain one of the parts.
type causeText struct {
	plain Message
	parts []string // of the texts of Go, Linux, macOS and Windows, in lower case
}

// causeTexts returns the plain texts; the first match counts.
func causeTexts() []causeText {
	return []causeText{
		{Msg("its certificate is from an authority that is not trusted here"), []string{"unknown authority", "certificate is not trusted", "not standards compliant"}},
		{Msg("its certificate has expired or is not valid yet, or a clock is wrong"), []string{"certificate has expired", "certificate is expired"}},
		{Msg("its certificate is for another name"), []string{"certificate is valid for", "certificate is not valid for", "cannot validate certificate", "certificate name does not match"}},
		{Msg("there is no TLS at this address; it may be meant to begin with http://"), []string{"http response to https client", "does not look like a tls handshake"}},
		{Msg("the answer is not HTTP; another program may listen at this address"), []string{"malformed http", "malformed mime header", "response headers exceeded"}},
		{Msg("no machine has this name"), []string{"no such host"}},
		{Msg("the name could not be looked up; is this machine on the network?"), []string{"host name lookup", "server misbehaving", "name resolution"}},
		{Msg("connection refused; the server seems to be down"), []string{"connection refused", "actively refused"}},
		{Msg("it took too long"), []string{"timeout", "timed out", "deadline exceeded", "did not properly respond"}},
		{Msg("the connection was cut"), []string{"connection reset", "broken pipe", "forcibly closed", "closed network connection", "connection was lost", "unexpected eof", ": eof", "wsarecv", "wsasend"}},
		{Msg("there is no route to the server; is this machine on the network?"), []string{"network is unreachable", "unreachable network", "no route to host", "unreachable host", "host is down"}},
		{Msg("no secure connection could be negotiated"), []string{"tls: ", "x509: "}},
		{Msg("its address is not public"), []string{"is not public"}},
		{Msg("it redirects to another address, which is not followed"), []string{"redirects are not followed"}},
		{Msg("this machine does not have the address"), []string{"cannot assign requested address", "can't assign requested address", "address is not valid in its context"}},
		{Msg("the disk is full"), []string{"no space left on device", "disk quota exceeded", "not enough space on the disk"}},
		{Msg("it is open in another program"), []string{"used by another process", "sharing violation", "locked a portion of the file"}},
		{Msg("the system does not permit it: look at the owner and the permissions"), []string{"permission denied", "operation not permitted", "access is denied"}},
		{Msg("it is read-only"), []string{"read-only file system", "write protected"}},
		{Msg("it does not exist"), []string{"no such file or directory", "cannot find the file", "cannot find the path"}},
		{Msg("it is a directory"), []string{"is a directory"}},
		{Msg("it is not a directory"), []string{"not a directory"}},
		{Msg("it is locked"), []string{"failed to unlock"}}, // a keyring
		{Msg("the disk is faulty"), []string{"input/output error"}},
	}
}

// causeSources returns the first words of a cause, which name the failed component.
func causeSources() map[string]string {
	return map[string]string{"email": "e-mail", "callback": "callback", "partner": "partner", "mail server": "mail server", "mail directory": "mail directory"}
}

// Text returns the cause in a language; an unknown one is unchanged.
func (c Cause) Text(l Language) string {
	original := string(c)
	if l == Codes || original == "" {
		return original
	}
	if known := l.Text(original); known != original {
		return known
	}
	source, rest, found := strings.Cut(original, ": ")
	if name, ours := causeSources()[source]; found && ours {
		return l.Text(name) + ": " + Cause(rest).Text(l)
	}
	if plain := plainCause(original); !plain.IsEmpty() {
		return plain.Text(l)
	}
	return original
}

func plainCause(original string) Message {
	if answer := regexp.MustCompile(`^HTTP (\d{3})`).FindStringSubmatch(original); answer != nil && answer[1][0] != '3' {
		return plainStatus(answer[1])
	}
	if refusal := regexp.MustCompile(`^(\d{3})(?: (\d\.\d+\.\d+))? ?(?:at the ([a-z -]+))?$`).FindStringSubmatch(original); refusal != nil {
		return plainRefusal(refusal[1], refusal[2], refusal[3])
	}
	if strings.Contains(original, "(SQLSTATE ") { // the store explains these; their "permission denied" is about no file
		return Message{}
	}
	if original == "EOF" {
		original = ": EOF"
	}
	lower := strings.ToLower(original)
	for _, t := range causeTexts() {
		for _, part := range t.parts {
			if strings.Contains(lower, part) {
				return t.plain
			}
		}
	}
	return Message{}
}

// plainStatus explains the HTTP status of a receiver that did not take a message.
func plainStatus(status string) Message {
	switch {
	case status == "401" || status == "403":
		return Msg("it denies the service access")
	case status == "404" || status == "410":
		return Msg("it has nothing at this address")
	case status == "429":
		return Msg("it asks to wait")
	case status[0] == '5':
		return Msg("it reports an internal error")
	}
	return Msg("it does not take the message")
}

// plainRefusal explains the codes of a mail server (RFC 5321, RFC 3463), at a step of sending.
func plainRefusal(code, enhanced, step string) Message {
	final := code[0] == '5'
	switch {
	case strings.HasSuffix(enhanced, ".2.2"):
		return Msg("the mail box is full")
	case code == "530" || code == "534" || code == "535" || code == "538":
		return Msg("it does not accept the service's user or password")
	case step == "recipient" && final && concernsAddress(enhanced):
		return Msg("it does not take e-mail for this address")
	case step == "sender" && final:
		return Msg("it does not take e-mail from the service's address")
	case final:
		return Msg("it refuses the e-mail")
	}
	return Msg("it takes no e-mail at the moment")
}

// concernsAddress reports whether an enhanced code, "" for none, is about the
// recipient's address (decisions.md 8).
func concernsAddress(enhanced string) bool {
	_, subject, _ := strings.Cut(enhanced, ".")
	switch subject {
	case "1.7", "1.8": // the sender's
		return false
	case "", "0.0":
		return true
	}
	return strings.HasPrefix(subject, "1.") || strings.HasPrefix(subject, "2.")
}
