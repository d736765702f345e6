package client

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"ativa/internal/api"
)

const maskedText = "***"

// maskJSON masks every text of a JSON body but words of the API. Bodies may have
// any fields, so isWordField and isPlainField name those that are shown.
func maskJSON(body []byte) (string, bool) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return "", false
	}
	masked, err := json.Marshal(maskValue("", v))
	return string(masked), err == nil
}

func maskValue(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[maskText(key)] = maskValue(key, value)
		}
		return out
	case []any:
		for i := range v {
			v[i] = maskValue(name, v[i])
		}
		return v
	case string:
		switch {
		case isPlainField(name):
			return v
		case isWordField(name):
			return maskText(v)
		}
		return maskedText
	case json.Number:
		if countDigits(v.String()) >= 8 {
			return maskedText
		}
		return v
	}
	return v
}

// isWordField reports whether the values of a field are words of the API.
func isWordField(name string) bool {
	switch name {
	case "response", "code", "type", "title", "field", "pointer", "result", "operation", "status",
		"previous_status", "trigger", "actor", "differs", "speed", "slug", "can",
		"content_supplier_product_code", "content_supplier_product_name":
		return true
	}
	return false
}

// isPlainField reports whether the values of a field are times, or ids that do not
// identify a person.
func isPlainField(name string) bool {
	switch name {
	case api.FieldCreatedAt, "token_created_at", "status_updated_at", "occurred_at",
		"request_id", "operation_id":
		return true
	}
	return false
}

// words are what stands between white space, quotes, brackets and commas.
var words = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^ \t\r\n"'<>()\[\]{},;]+`) })

// maskText masks the words of a text that may be an e-mail address, a CPF, a
// telephone number or a token: those with an @, with 8 digits or more, or of 20
// characters or more with a digit. Network addresses are shown.
func maskText(s string) string {
	return words().ReplaceAllStringFunc(s, func(word string) string {
		if _, err := netip.ParseAddrPort(strings.TrimSuffix(word, ":")); err == nil {
			return word
		}
		if strings.Contains(word, "@") || countDigits(word) >= 8 || len(word) >= 20 && countDigits(word) > 0 {
			return maskedText
		}
		return word
	})
}

func countDigits(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// maskPath masks every part of a path that is not a word of the API.
func maskPath(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if part != "" && !isPathWord(part) {
			parts[i] = maskedText
		}
	}
	return strings.Join(parts, "/")
}

func isPathWord(part string) bool {
	words := strings.Split(strings.Join([]string{
		api.Prefix, api.PathAuthenticate, api.PathSearch, api.PathInternetSpeeds, api.PathImportValidate,
		api.PathResend, api.PathActivate, api.PathSuspend, api.PathDeactivate, api.PathChange, api.PathOverdue,
		api.PathSettle, api.PathHistory, api.PathStatuses, api.PathEvents, api.PathPartnerEvents,
		api.PathOpenAPI, api.PathLive, api.PathReady, api.PathMetrics,
	}, ""), "/")
	return slices.Contains(words, part) && !strings.HasPrefix(part, "{")
}

// maskQuery masks all but the parameters of the API.
func maskQuery(query url.Values) string {
	if len(query) == 0 {
		return ""
	}
	shown := url.Values{}
	for name, values := range query {
		switch name {
		case api.ParamPaginate, api.ParamPage, api.ParamPerPage, api.ParamLimit, api.ParamWait:
			shown[name] = values
		case api.ParamAfter:
			shown[name] = []string{maskedText}
		default:
			shown.Add(maskedText, maskedText)
		}
	}
	text, err := url.QueryUnescape(shown.Encode())
	if err != nil {
		return "?" + maskedText
	}
	return "?" + text
}

// escapeUnprintable escapes what a terminal would not print: control and
// bidirectional characters.
func escapeUnprintable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
