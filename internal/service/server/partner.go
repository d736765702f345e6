package server

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

const (
	// signatureTolerance is how far the time of a signature may differ from the
	// clock of the server (decisions.md 8).
	signatureTolerance = 5 * time.Minute
	maxWebhookID       = 255
	maxReason          = 500 // maximum length of a stored reason in characters
)

func (s *Server) partnerEvent(c *requestContext) error {
	partner, err := s.verifySignature(c)
	if err != nil {
		return err
	}
	r, err := readPartnerEvent(c.body)
	if err != nil {
		return err
	}
	r.Partner, r.ID = partner, c.r.Header.Get(webhooks.HeaderWebhookID)
	duplicate, err := s.rules.ReceivePartnerEvent(c.r.Context(), r)
	if err != nil {
		return err
	}
	res := api.PartnerEventResponse{Response: api.ResponseSuccess, Result: api.ResultAccepted}
	if duplicate {
		res.Result = api.ResultDuplicate
	}
	return c.writeJSON(http.StatusAccepted, res)
}

// verifySignature returns the partner that signed the request. An address that sends wrong
// signatures is refused for a while, without checking the signature.
func (s *Server) verifySignature(c *requestContext) (domain.PartnerID, error) {
	address, now := addressKey(s.client(c.r)), s.rules.Now()
	if err := s.forgeries.check(address, now); err != nil {
		return 0, err
	}
	id, err := s.signer(c, now)
	if e, ok := errors.AsType[*httpError](err); ok && e.code == api.CodeInvalidSignature {
		_ = s.forgeries.take(address, now)
	}
	return id, err
}

// signer returns the partner whose secret signed id, time and body. The error does not say which
// of them is wrong.
func (s *Server) signer(c *requestContext, now time.Time) (domain.PartnerID, error) {
	refused := &httpError{code: api.CodeInvalidSignature, detail: "the signature, its time or its id is missing or wrong"}
	sent, err := strconv.ParseInt(c.r.Header.Get(webhooks.HeaderWebhookTimestamp), 10, 64)
	age := now.Sub(time.Unix(sent, 0)).Abs()
	signed := strings.Contains(c.r.Header.Get(webhooks.HeaderWebhookSignature), "v1,")
	if err != nil || age > signatureTolerance || !signed || !validWebhookID(c.r.Header.Get(webhooks.HeaderWebhookID)) {
		return 0, refused
	}
	partners, err := s.store.Partners(c.r.Context())
	if err != nil {
		return 0, err
	}
	for _, p := range partners {
		w, err := webhooks.NewWebhookRaw(p.Secret)
		if err != nil || len(p.Secret) == 0 {
			continue
		}
		if w.VerifyIgnoringTimestamp([]byte(c.body), c.r.Header) == nil { // the timestamp is checked above
			return p.ID, nil
		}
	}
	return 0, refused
}

func readPartnerEvent(body string) (r domain.PartnerEvent, err error) {
	var sent struct {
		Type      domain.Optional[string] `json:"type"`
		Operation domain.Optional[string] `json:"operation_id"`
		Reason    domain.Optional[string] `json:"reason"`
	}
	if err := decodeBody(body, &sent); err != nil {
		return r, err
	}
	var wrong []api.FieldError
	parts := strings.Split(sent.Type.Value, ".")
	if len(parts) != 3 || parts[0] != "service" || !slices.Contains(partnerOperations(), parts[1]) ||
		parts[2] != "confirmed" && parts[2] != "failed" {
		wrong = append(wrong, fieldError("type", "unknown_type", "must be service.OPERATION.confirmed or service.OPERATION.failed"))
	}
	id, err := domain.ParseOperationID(sent.Operation.Value)
	if err != nil {
		wrong = append(wrong, fieldError("operation_id", "invalid_operation_id", "must be the operation_id of a request"))
	}
	if wrong != nil {
		return r, invalidFields(wrong...)
	}
	return domain.PartnerEvent{
		Operation: id, Kind: parts[1], Confirmed: parts[2] == "confirmed", Reason: oneLine(domain.MaskPersonal(sent.Reason.Value), maxReason),
	}, nil
}

// partnerOperations returns the operations that partner events can be about.
func partnerOperations() []string {
	return []string{
		domain.Activation.String(), domain.Suspension.String(), domain.Cancellation.String(),
		domain.Reactivation.String(), domain.ProductChange.String(),
	}
}

// validWebhookID reports whether a message ID can be stored: printable ASCII of at
// most maxWebhookID bytes.
func validWebhookID(id string) bool {
	return id != "" && len(id) <= maxWebhookID && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
}

// oneLine returns the first n characters of s, with control characters replaced by spaces.
func oneLine(s string, n int) string {
	runes := []rune(s)
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, string(runes[:min(n, len(runes))]))
}
