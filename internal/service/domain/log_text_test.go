package domain_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"ativa/internal/service/domain"
)

// The log has the cause, which a response omits.
func TestAnErrorIsLoggedWithItsCauses(t *testing.T) {
	refused := &domain.Error{Code: domain.Unavailable, Message: "the database cannot be reached now", Err: errors.New("dial tcp: refused by a1@example.com.br")}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Error("delivery", "error", refused)
	if want := `error="the database cannot be reached now: dial tcp: refused by ***"`; !strings.Contains(log.String(), want) {
		t.Errorf("got %s, want %s", &log, want)
	}
	wrapped := &domain.Error{Message: "not ready", Err: fmt.Errorf("readiness: %w", refused)}
	if got, want := domain.LogText(wrapped), "not ready: readiness: the database cannot be reached now: dial tcp: refused by ***"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPersonalDataIsMaskedInTheCausesOfFaults(t *testing.T) {
	for in, want := range map[string]string{
		"CPF 529.982.247-25 of ana.souza+x@example.com.br": "CPF *** of ***",
		"no mailbox josé@exemplo.com.br, ana@exámple.com":  "no mailbox ***, ***",
		"token ativa_Zm9v-_bar and atb_abc, whsec_a+/=":    "token *** and ***, ***",
		"dial tcp 192.168.100.10:25: refused":              "dial tcp 192.168.100.10:25: refused",
		"phone +55 (11) 98765-4321, row 12, 2026":          "phone +***, row 12, 2026",
		"UNIQUE constraint failed: subscribers.document":   "UNIQUE constraint failed: subscribers.document",
	} {
		if got := domain.MaskPersonal(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
