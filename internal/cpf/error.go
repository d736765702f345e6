package cpf

// Codes of an [Error]. They are stable: clients branch on them.
const (
	CodeRequired          = "required"
	CodeInvalidLength     = "invalid_length"
	CodeInvalidCharacters = "invalid_characters"
	CodeInvalidCheckDigit = "invalid_check_digit"
	CodeRepeatedDigits    = "repeated_digits"
	CodeCNPJ              = "cnpj_not_supported"
	CodeInvalidPhone      = "invalid_phone"
	CodeInvalidAreaCode   = "invalid_area_code"
	CodeMissingAreaCode   = "missing_area_code"
)

// Error says why a number was refused. Message is safe to show and to log: it
// never holds the number, which is personal data.
type Error struct {
	Code    string
	Message string
}

// Error is the message.
func (e *Error) Error() string { return e.Message }
