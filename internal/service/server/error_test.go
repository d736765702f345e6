package server_test

import (
	"context"
	"net/http"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apicheck"
	"ativa/internal/service/domain"
)

// Each error code has its status (decisions.md 2), whoever returns it. Retry-After, which 429 needs, is
// not the store's: TestARefusedSignInNamesTheAddressAndIsCounted.
func TestEveryCodeComesWithItsStatus(t *testing.T) {
	f := newParallelFixture(t)
	d, err := apicheck.Description()
	f.must(err)
	described := map[string]bool{}
	for _, code := range d.Components.Schemas["Code"].Value.Enum {
		described[code.(string)] = true
	}
	delete(described, api.CodeRateLimited)
	for status, codes := range map[int][]string{
		http.StatusBadRequest: {api.CodeMalformedJSON, api.CodeUnsupportedEncoding},
		http.StatusUnauthorized: {api.CodeTokenMissing, api.CodeTokenInvalid, api.CodeTokenExpired, api.CodeInvalidAccessToken,
			api.CodeInvalidSignature},
		http.StatusForbidden:        {api.CodeInsufficientScope},
		http.StatusNotFound:         {api.CodeNotFound, api.CodeSubscriberNotFound, api.CodeServiceNotFound, api.CodeScheduleNotFound},
		http.StatusMethodNotAllowed: {api.CodeMethodNotAllowed},
		http.StatusConflict: {api.CodeSubscriberExists, api.CodeSubscriberHasServices, api.CodeOperationInProgress, api.CodeServiceNotActive,
			api.CodeServiceSuspended, api.CodeServiceOverdue, api.CodeServiceCanceled, api.CodeServiceInError, api.CodeCancellationUnresolved,
			api.CodeNotReplaceable, api.CodeFamilyConflict, api.CodeNothingToResend, api.CodeRequestInProgress, api.CodeScheduleEnded,
			api.CodeNameTaken, api.CodeTokenLimit, api.CodeLastAdminToken, api.CodeAccessTokenEnded},
		http.StatusGone:                  {api.CodeLinkInvalid},
		http.StatusRequestEntityTooLarge: {api.CodePayloadTooLarge, api.CodeTooManyItems},
		http.StatusUnsupportedMediaType:  {api.CodeUnsupportedMediaType},
		http.StatusUnprocessableEntity: {api.CodeValidationFailed, api.CodeInvalidCursor, api.CodeUnknownProduct, api.CodeProductInactive,
			api.CodeActionNotAllowed, api.CodeSameProduct, api.CodeUnknownInternetSpeed, api.CodeBatchFailed, api.CodeIdempotencyKeyReused},
		http.StatusInternalServerError: {api.CodeInternal},
		http.StatusServiceUnavailable:  {api.CodeUnavailable},
	} {
		for _, code := range codes {
			f.store.update = func(context.Context) error { return &domain.Error{Code: domain.Code(code), Message: "refused"} }
			f.do("POST", "/subscribers", subscriber(1)).want(status, code)
			delete(described, code)
		}
	}
	if len(described) > 0 {
		t.Errorf("no case has the codes %v", described)
	}
}
