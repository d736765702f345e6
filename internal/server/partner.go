package server

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ativa/internal/api"
	"ativa/internal/provision"
)

const (
	// replayWindow is how far the time of a signature may be from ours (decisions.md 8).
	replayWindow = 5 * time.Minute
	maxWebhookID = 255
	maxReason    = 500 // characters; a partner's reason is cut there
)

// partnerEvent takes what a partner reports, stores it and applies it.
func (s *Server) partnerEvent(x *exchange) error {
	partner, err := s.signer(x)
	if err != nil {
		return err
	}
	r, err := readReport(x.body)
	if err != nil {
		return err
	}
	r.Partner, r.ID = partner, x.r.Header.Get(webhooks.HeaderWebhookID)
	duplicate, err := s.m.Receive(x.r.Context(), r)
	if err != nil {
		return err
	}
	told := api.PartnerEventResponse{Response: api.ResponseSuccess, Result: api.ResultAccepted}
	if duplicate {
		told.Result = api.ResultDuplicate
	}
	return x.json(http.StatusAccepted, told)
}

// signer is the partner whose secret made the signature over id, time and
// body. Whatever is wrong, the answer is the same.
func (s *Server) signer(x *exchange) (provision.PartnerID, error) {
	refused := &refusal{code: api.CodeInvalidSignature, detail: "the signature, its time or its id is missing or wrong"}
	sent, err := strconv.ParseInt(x.r.Header.Get(webhooks.HeaderWebhookTimestamp), 10, 64)
	age := s.o.Clock().Sub(time.Unix(sent, 0)).Abs()
	if err != nil || age > replayWindow || !plainID(x.r.Header.Get(webhooks.HeaderWebhookID)) {
		return 0, refused
	}
	partners, err := s.m.Partners(x.r.Context())
	if err != nil {
		return 0, err
	}
	for _, p := range partners {
		w, err := webhooks.NewWebhookRaw(p.Secret)
		if err != nil || len(p.Secret) == 0 {
			continue
		}
		if w.VerifyIgnoringTimestamp([]byte(x.body), x.r.Header) == nil { // our clock has judged the time
			return p.ID, nil
		}
	}
	return 0, refused
}

func readReport(body string) (r provision.PartnerEvent, err error) {
	var kind, operation, reason provision.OptionalText
	err = readForm(body, func(f *form, key string) error {
		switch key {
		case "type":
			return f.text(key, &kind)
		case "operation_id":
			return f.text(key, &operation)
		case "reason":
			return f.text(key, &reason)
		}
		return f.c.skip()
	})
	if err != nil {
		return r, err
	}
	var wrong []api.FieldError
	parts := strings.Split(kind.Value, ".")
	if len(parts) != 3 || parts[0] != "service" || !slices.Contains(reportable(), parts[1]) ||
		parts[2] != "confirmed" && parts[2] != "failed" {
		wrong = append(wrong, api.FieldError{Pointer: "/type", Field: "type", Code: "unknown_type",
			Detail: "must be service.OPERATION.confirmed or service.OPERATION.failed"})
	}
	id, err := provision.ParseOperationID(operation.Value)
	if err != nil {
		wrong = append(wrong, api.FieldError{Pointer: "/operation_id", Field: "operation_id", Code: "invalid_operation_id",
			Detail: "must be the operation_id of a request"})
	}
	if wrong != nil {
		return r, invalid(wrong...)
	}
	return provision.PartnerEvent{
		Operation: id, Kind: parts[1], Confirmed: parts[2] == "confirmed", Reason: oneLine(mask(reason.Value), maxReason),
	}, nil
}

// reportable are the operations that partners report on.
func reportable() []string {
	return []string{
		provision.Activation.String(), provision.Suspension.String(), provision.Cancellation.String(),
		provision.Reactivation.String(), provision.ProductChange.String(),
	}
}

// plainID reports whether a message id is one that can be kept: printable
// ASCII of reasonable length.
func plainID(id string) bool {
	return id != "" && len(id) <= maxWebhookID && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
}

// oneLine is the first n characters of s, with blanks for control characters.
func oneLine(s string, n int) string {
	runes := []rune(s)
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, string(runes[:min(n, len(runes))]))
}
