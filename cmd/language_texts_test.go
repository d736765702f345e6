package cmd

import (
	"strings"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/lifecycle"
	"ativa/internal/service/domain"
	"ativa/internal/sheet/columns"
)

// Texts that are not literal arguments of message functions.

// sameInBoth are texts that need no translation.
func sameInBoth() []string {
	return []string{"\techo \"autoload -U compinit; compinit\" >> ~/.zshrc", "\tsource <(ativa completion bash)", "\tsource <(ativa completion zsh)",
		"#### Linux:", "#### macOS:", "  %s", "%s", "%s: %s", "%s?", "%s [%s]", "%s…", "CPF", "%s, %s", "%s; %s", "%d %s", "%s %s", "%s (%s)", "%d × %s", "proxy", "callback", "--listen %s", "status", "id", "url", "e-mail"}
}

// eventTexts are the words of a history without a literal: failed operations and actors.
func eventTexts() []string {
	words := []string{lifecycle.WaitsForYou, "activation", "reactivation", "suspension", "suspension for lack of payment", "cancellation", "change of product"}
	for _, a := range []domain.Actor{domain.ActorProvider, domain.ActorSubscriber, domain.ActorPartner, domain.ActorOperator, domain.ActorSystem} {
		words = append(words, string(a))
	}
	return words
}

// fieldsOfFiles are the fields of a spreadsheet in words.
func fieldsOfFiles() []string {
	var names []string
	for _, a := range columns.Aliases() {
		names = append(names, strings.ReplaceAll(a.Field, "_", " "))
	}
	return names
}

// reasonsOfResends are the reasons of package run for e-mails.
func reasonsOfResends() []string {
	return []string{"no answer came; the e-mail may have been sent", "the server cannot send the e-mail of one service alone, and there are others that it would send for"}
}

// operatorRefusals are the messages of refusals shown to an operator.
func operatorRefusals() []string {
	return []string{
		"0 or more active tokens", "at most 2,000 characters", "an absolute https address of at most 500 characters", "1 to 255 characters", "a number from 1 to 2147483647", "must not be empty", "between 0 and 1", "0 or more",
		"manual, simulator or http", "an absolute https address", "must not contain a user or password", "no provider has this name", "no product has this id",
		"must be valid UTF-8", "must not contain control or text direction characters",
		"no operation has this id", "the operation waits for no confirmation", "the provider has no callback", "no such token",
		"this internet speed exists", "the provider has no feed callback", "a provider of this name exists", "a partner of this name exists",
		"a product with this id or code exists", "no delivery has this id", "no action has this name",
		"it is under way", "it is delivered", "the service has moved on, so there is nothing to deliver any more",
	}
}

// refusedOptions are the reasons of other packages for refusing a flag, a setting or a
// network.
func refusedOptions() []string {
	return []string{
		"not a URL like https://host", "the URL must start with https:// or http://", "a URL must not hold a user name or password",
		"a base URL has no query and no fragment", "plain http would send the token unprotected; use https",
		"must look like /subscribers?name=value", "cannot be read", "holds no certificate in PEM form", "cannot be used",
		"not a URL like http://host:port", "cannot go together with --jq", "the filter cannot be read (%s)", "the template cannot be read (%s)", "needs --output json or jsonl, not %s", "needs --output csv, not %s", "a document of --output %s has no columns; choose fields with --jq", "server", "proxy", "CA file", "client certificate", "path",
		"no whole answer in time", "the server has gone silent",
		"a web page came in place of the answer; a proxy or the sign-in page of a network may be between, or this is not the address of the API", "it is empty", "it breaks off; the request may have been carried out", "it is larger than this program reads", "no list", "no subscriber", "no next_cursor", "no authorization.token",
		"a proxy or gateway in between answered with a web page: it does not reach the server", "the answer points to another address", "a proxy asks for a user name and a password",
		"a search term needs two characters or more", "a search term has at most 32 different words",
		"empty, too long, or with blanks in it", "the keyring is silent; is it waiting to be unlocked?", "not a regular file",
		"an old Excel workbook (.xls) or one with a password", "a PDF document", "a compressed file (gzip)", "a compressed file (rar)", "a compressed file (7z)",
		"a picture", "a text document (RTF)", "a web page (HTML)", "an XML document", "a JSON document", "a file of binary data",
		"a binary Excel workbook (.xlsb)", "an OpenDocument file (.ods)", "a Word document", "a zip archive",
	}
}

// outsideCauses are causes from other packages, and who failed.
func outsideCauses() []string {
	return []string{"%q is not an event cursor", "database %s has version %d, newer than this program's %d: use a newer program", "database %s was made by a build before 0.1.0 and cannot be upgraded: begin a new database, and import into it what that build exports", "the file was changed while it was read: run the command again when nobody writes to it", "it is disabled or was removed", "its address is not https", "the URL is not one",
		"the sender's address is not one", "the recipient's address is not accepted", "it takes only addresses without accents", "callback", "partner", "mail server", "mail directory"}
}

// damagesOfWorkbooks are the read errors of package xlsx.
func damagesOfWorkbooks() []string {
	return []string{"not a whole zip file", "it has no sheet of cells", "its merged cells are too many; save it as CSV", "its texts are too many; save it as CSV",
		"a cell is longer than a spreadsheet allows", "a row is longer than a spreadsheet allows"}
}

// flagTypes are pflag's names of value types.
func flagTypes() []string {
	return []string{"string", "strings", "stringArray", "int", "ints", "duration", "float"}
}

// refusalCodes are the API's codes with a text in the catalogue.
func refusalCodes() []string {
	return []string{
		cpf.CodeInvalidLength, cpf.CodeInvalidCharacters, cpf.CodeInvalidCheckDigit, cpf.CodeRepeatedDigits, cpf.CodeCNPJ,
		cpf.CodeInvalidPhone, cpf.CodeInvalidAreaCode, cpf.CodeMissingAreaCode,
		api.CodeTokenMissing, api.CodeTokenInvalid, api.CodeTokenExpired, api.CodeInvalidAccessToken, api.CodeInsufficientScope,
		api.CodeNotFound, api.CodeSubscriberNotFound, api.CodeServiceNotFound, api.CodeSubscriberExists, api.CodeSubscriberHasServices,
		api.CodeOperationInProgress, api.CodeServiceNotActive, api.CodeServiceSuspended, api.CodeServiceOverdue, api.CodeServiceCanceled,
		api.CodeServiceInError, api.CodeCancellationUnresolved, api.CodeNotReplaceable, api.CodeFamilyConflict, api.CodeNothingToResend,
		api.CodeNameTaken, api.CodeTokenLimit, api.CodeLastAdminToken, api.CodeAccessTokenEnded,
		api.CodeScheduleNotFound, api.CodeScheduleEnded, api.CodeRequestInProgress, api.CodePayloadTooLarge, api.CodeTooManyItems, api.CodeUnknownProduct, api.CodeProductInactive,
		api.CodeActionNotAllowed, api.CodeSameProduct, api.CodeUnknownInternetSpeed, api.CodeBatchFailed, api.CodeRateLimited, api.CodeUnavailable,
	}
}
