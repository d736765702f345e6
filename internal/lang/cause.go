package lang

import (
	"regexp"
	"strings"
)

// Cause is why something failed outside this program, as an argument of a message:
// in the words of the system, of a network library or of the service's outbox,
// which are English and meant for engineers. A person reads it in plain words;
// [Codes] keeps it as it is.
type Cause string

// causeText are the plain words for a cause that has any of the parts.
type causeText struct {
	plain string
	parts []string // of the texts of Go, Linux, macOS and Windows, in lower case
}

// The first that fits counts.
func causeTexts() []causeText {
	return []causeText{
		{"its certificate is from an authority that is not trusted here", []string{"unknown authority", "certificate is not trusted", "not standards compliant"}},
		{"its certificate has expired or is not valid yet, or a clock is wrong", []string{"certificate has expired", "certificate is expired"}},
		{"its certificate is for another name", []string{"certificate is valid for", "certificate is not valid for", "cannot validate certificate", "certificate name does not match"}},
		{"there is no TLS at this address; it may be meant to begin with http://", []string{"http response to https client", "does not look like a tls handshake"}},
		{"no machine has this name", []string{"no such host"}},
		{"the name could not be looked up; is this machine on the network?", []string{"host name lookup", "server misbehaving", "name resolution"}},
		{"connection refused; the server seems to be down", []string{"connection refused", "actively refused"}},
		{"it took too long", []string{"timeout", "timed out", "deadline exceeded", "did not properly respond"}},
		{"the connection was cut", []string{"connection reset", "broken pipe", "forcibly closed", "closed network connection", "connection was lost", "unexpected eof", ": eof", "wsarecv", "wsasend"}},
		{"there is no way to the server; is this machine on the network?", []string{"network is unreachable", "unreachable network", "no route to host", "unreachable host", "host is down"}},
		{"no protected connection could be agreed on", []string{"tls: ", "x509: "}},
		{"its address is not public", []string{"is not public"}},
		{"it sends on to another address, and that is not followed", []string{"redirects are not followed"}},
		{"this machine does not have the address", []string{"cannot assign requested address", "can't assign requested address", "address is not valid in its context"}},
		{"the disk is full", []string{"no space left on device", "disk quota exceeded", "not enough space on the disk"}},
		{"it is open in another program", []string{"used by another process", "sharing violation", "locked a portion of the file"}},
		{"the system does not permit it: look at the owner and the permissions", []string{"permission denied", "operation not permitted", "access is denied"}},
		{"what is there can only be read", []string{"read-only file system", "write protected"}},
		{"it does not exist", []string{"no such file or directory", "cannot find the file", "cannot find the path"}},
		{"it is a directory", []string{"is a directory"}},
		{"it is not a directory", []string{"not a directory"}},
		{"the disk is faulty", []string{"input/output error"}},
	}
}

// The first words of a cause name who failed.
func causeSources() map[string]string {
	return map[string]string{"email": "e-mail", "callback": "callback", "partner": "partner", "mail server": "mail server", "mail directory": "mail directory"}
}

// Text is the cause in a language; one that is not known comes as it is.
func (c Cause) Text(l Language) string {
	said := string(c)
	if l == Codes || said == "" {
		return said
	}
	if known := l.Text(said); known != said {
		return known
	}
	source, rest, found := strings.Cut(said, ": ")
	if name, ours := causeSources()[source]; found && ours {
		return l.Text(name) + ": " + Cause(rest).Text(l)
	}
	if plain := plainCause(said); plain != "" {
		return l.Text(plain)
	}
	return said
}

func plainCause(said string) string {
	if answer := regexp.MustCompile(`^HTTP (\d{3})`).FindStringSubmatch(said); answer != nil && answer[1][0] != '3' {
		return plainStatus(answer[1])
	}
	if refusal := regexp.MustCompile(`^(\d{3})(?: (\d\.\d+\.\d+))? ?(?:at the ([a-z -]+))?$`).FindStringSubmatch(said); refusal != nil {
		return plainRefusal(refusal[1], refusal[2], refusal[3])
	}
	if said == "EOF" {
		said = ": EOF"
	}
	lower := strings.ToLower(said)
	for _, t := range causeTexts() {
		for _, part := range t.parts {
			if strings.Contains(lower, part) {
				return t.plain
			}
		}
	}
	return ""
}

// plainStatus says what a receiver's answer means that did not take a message.
func plainStatus(status string) string {
	switch {
	case status == "401" || status == "403":
		return "it does not let the service in"
	case status == "404" || status == "410":
		return "it has nothing at this address"
	case status == "429":
		return "it asks to wait"
	case status[0] == '5':
		return "it has a fault of its own"
	}
	return "it does not take the message"
}

// plainRefusal says what the codes of a mail server mean (RFC 5321, RFC 3463), at a
// step of the sending.
func plainRefusal(code, enhanced, step string) string {
	final := code[0] == '5'
	switch {
	case strings.HasSuffix(enhanced, ".2.2"):
		return "the mail box is full"
	case code == "530" || code == "534" || code == "535" || code == "538":
		return "it does not accept the service's user or password"
	case step == "recipient" && final:
		return "it does not take e-mail for this address"
	case step == "sender" && final:
		return "it does not take e-mail from the service's address"
	case final:
		return "it refuses the e-mail"
	}
	return "it takes no e-mail for now"
}

// PlainCauses are the English texts of causes, for whoever looks whether they are
// translated.
func PlainCauses() []string {
	all := []string{
		"the file became shorter while it was read", "it is disabled or was removed", "its address is not https", "the URL is not one", "the sender's address is not one", "the recipient's address is not accepted",
		"it does not let the service in", "it has nothing at this address", "it asks to wait", "it has a fault of its own", "it does not take the message",
		"the mail box is full", "it does not accept the service's user or password", "it does not take e-mail for this address",
		"it does not take e-mail from the service's address", "it refuses the e-mail", "it takes no e-mail for now",
	}
	for _, t := range causeTexts() {
		all = append(all, t.plain)
	}
	for _, name := range causeSources() {
		all = append(all, name)
	}
	return all
}
