package cpf

// Codes of an [Error]. They never change: clients depend on them.
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

// Error is the reason why a number is invalid. Message is safe to show and to
// log: it never contains the number, which is personal data.
type Error struct {
	Code    string
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }
