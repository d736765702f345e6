package cpf_test

import (
	"fmt"
	"testing"

	"ativa/internal/cpf"
)

func TestParsePhoneGivesE164(t *testing.T) {
	tests := []struct{ in, want, code string }{
		{in: "11987654321", want: "+5511987654321"},
		{in: "(11) 98765-4321", want: "+5511987654321"},
		{in: "011 98765.4321", want: "+5511987654321"},
		{in: "005511987654321", want: "+5511987654321"},
		{in: "+55 11 98765-4321", want: "+5511987654321"},
		{in: "(+55) 11 98765-4321", want: "+5511987654321"},
		{in: "+55 (011) 98765-4321", want: "+5511987654321"},
		{in: "1133334444", want: "+551133334444"},
		{in: "551133334444", want: "+551133334444"},
		{in: "5533334444", want: "+555533334444"},
		{in: "55987654321", want: "+5555987654321"},
		{in: "055 3333-4444", want: "+555533334444"},
		{in: "5555987654321", want: "+5555987654321"},
		{in: "+351 912 345 678", want: "+351912345678"},
		{in: "+1 (202) 555-0123", want: "+12025550123"},
		{in: "", code: cpf.CodeRequired},
		{in: "98765-4321", code: cpf.CodeMissingAreaCode},
		{in: "3333-4444", code: cpf.CodeMissingAreaCode},
		{in: "20987654321", code: cpf.CodeInvalidAreaCode},
		{in: "+55 23 98765-4321", code: cpf.CodeInvalidAreaCode},
		{in: "1187654321", code: cpf.CodeInvalidPhone},
		{in: "11887654321", code: cpf.CodeInvalidPhone},
		{in: "1113334444", code: cpf.CodeInvalidPhone},
		{in: "119876543210", code: cpf.CodeInvalidPhone},
		{in: "+55119876543", code: cpf.CodeMissingAreaCode},
		{in: "+55", code: cpf.CodeInvalidPhone},
		{in: "+", code: cpf.CodeInvalidPhone},
		{in: "+0011987654321", code: cpf.CodeInvalidPhone},
		{in: "+3519123", code: cpf.CodeInvalidPhone},
		{in: "+3519123456789012", code: cpf.CodeInvalidPhone},
		{in: "11 98765-4321 ramal 2", code: cpf.CodeInvalidPhone},
		{in: "11 98765/4321", code: cpf.CodeInvalidPhone},
	}
	for _, tt := range tests {
		got, err := cpf.ParsePhone(tt.in)
		if got != tt.want || code(err) != tt.code {
			t.Errorf("ParsePhone(%q) = %q, %v; want %q, code %q", tt.in, got, err, tt.want, tt.code)
		}
	}
}

func TestBrazilHas67AreaCodes(t *testing.T) {
	valid := 0
	for area := range 100 {
		if _, err := cpf.ParsePhone(fmt.Sprintf("+55%02d33334444", area)); err == nil {
			valid++
		}
	}
	if valid != 67 {
		t.Errorf("%d area codes pass, want 67", valid)
	}
}
