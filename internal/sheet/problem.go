package sheet

import (
	"maps"
	"strconv"

	"ativa/internal/api"
	"ativa/internal/cpf"
)

// Problem is an error or a notice about a file or about one place in it. It is also the error of
// this package.
type Problem struct {
	Line   int    `json:"line,omitempty"`   // the physical line, from 1; 0 for the whole file
	Column int    `json:"column,omitempty"` // the column, from 1; 0 for the whole line
	Name   string `json:"name,omitempty"`   // the column's name as the file has it
	Field  string `json:"field,omitempty"`  // the subscriber field, as in the API; empty for none
	Code   string `json:"code"`             // stable; [Messages] has the English text of each
	// Value is the cell. It may be personal data: it goes into the user's own
	// report and plan, and nowhere else.
	Value string            `json:"value,omitempty"`
	Args  map[string]string `json:"args,omitempty"` // fill the placeholders of the message. They hold no personal data.
	// Refusal is the server's reason for refusing the row, in the user's language. It replaces the
	// message, because codes of the server may equal those of this package.
	Refusal string `json:"-"`
}

// Repair is damage of a cell that was repaired with certainty.
type Repair struct {
	Field string
	Code  string // one of the Repair words
}

// Codes of repairs; [Messages] has their texts, too.
const (
	RepairLostZeros     = "repaired_lost_zeros"
	RepairDecimalTail   = "repaired_decimal_tail"
	RepairSeparators    = "repaired_separators"
	RepairScientific    = "repaired_scientific"
	RepairTextFormula   = "repaired_text_formula"
	RepairMergedCells   = "repaired_merged_cells"
	RepairMailto        = "repaired_mailto"
	RepairSeveralPhones = "repaired_several_phones"
	RepairAreaCode      = "repaired_area_code"
	RepairExtraZeros    = "repaired_extra_zeros"
	RepairPhoneNotes    = "repaired_phone_notes"
	RepairQuotes        = "repaired_quotes"
	RepairNoValue       = "repaired_no_value"
)

func number(n int) string { return strconv.Itoa(n) }

// Codes of a problem of a line or a cell, besides those of cpf and api.
const (
	CodeTooLong          = "too_long"
	CodeControlCharacter = "control_character"
	CodeUnreadableText   = "unreadable_text"
	CodeGarbledText      = "garbled_text"
	CodeMixedEncoding    = "mixed_encoding"
	CodeFormulaError     = "formula_error"
	CodeInvalidEmail     = "invalid_email"
	CodeScientific       = "scientific_notation"
	CodeSpreadsheetDate  = "spreadsheet_date"
	CodeAmbiguousSpeed   = "ambiguous_internet_speed"
	CodeAmbiguousProduct = "ambiguous_product"
	CodeUnknownStatus    = "unknown_status"
	CodeNotActive        = "not_active"
	CodeNotYesNo         = "neither_yes_nor_no"
	CodeInvalidDays      = "invalid_days"
	CodeDuplicate        = "duplicate_document"
	CodeHeldBack         = "held_back"
	CodeTooFewColumns    = "too_few_columns"
	CodeTooManyColumns   = "too_many_columns"
	CodeUnclosedQuote    = "unclosed_quote"
	CodeStrayQuote       = "stray_quote"
	CodeRecordTooLong    = "record_too_long"
	CodeRepeatedHeader   = "repeated_header"
	CodeAnotherHeader    = "another_header"
	CodeTotalRow         = "total_row"
	CodeUnread           = "unread"
)

// Codes of a problem of the whole file.
const (
	CodeEmptyFile        = "empty_file"
	CodeFileChanged      = "file_changed"
	CodeNoRows           = "no_rows"
	CodeNotATable        = "not_a_table"
	CodeUnknownEncoding  = "unknown_encoding"
	CodeOldEncoding      = "old_encoding"
	CodeUTF32            = "utf32"
	CodeUnknownDelimiter = "unknown_delimiter"
	CodeCutCharacter     = "cut_character"
	CodeNoHeader         = "no_header"
	CodeNoHeaderRow      = "no_header_row"
	CodeSingleQuotes     = "single_quotes"
	CodeMissingColumn    = "missing_column"
	CodeAmbiguousColumn  = "ambiguous_column"
	CodeUnclearColumn    = "unclear_column"
	CodeSameName         = "same_name"
	CodeTwoFields        = "two_fields"
	CodeUnknownField     = "unknown_field"
	CodeNoMapping        = "no_mapping"
	CodeNoValueMapping   = "no_value_mapping"
	CodeUnknownMeaning   = "unknown_meaning"
	CodeSavedMeaning     = "unknown_saved_meaning"
	CodeNoStatus         = "no_status"
	CodeNoSuchColumn     = "no_such_column"
	CodeSwappedColumns   = "swapped_columns"
	CodeNoSuchSheet      = "no_such_sheet"
	CodeNoSheets         = "no_sheets"

	CodeSheetWithoutTable = "sheet_without_table"
	CodeSheetWithoutRows  = "sheet_without_rows"

	CodeDamagedWorkbook = "damaged_workbook"
)

// Codes of a notice: worth mentioning, nothing wrong.
const (
	NoticeUnknownColumn = "notice_unknown_column"
	NoticeSimilarColumn = "notice_similar_column"
	NoticeProductColumn = "notice_product_column"
	NoticeStatusColumn  = "notice_status_column"
	NoticeSheets        = "notice_sheets"
	NoticeJoinedColumns = "notice_joined_columns"
	NoticeHeaderLine    = "notice_header_line"
	NoticeHiddenColumn  = "notice_hidden_column"
	NoticeSavedColumn   = "notice_saved_column"
	NoticeSavedIgnore   = "notice_saved_ignore"
	NoticeSavedValue    = "notice_saved_value"
)

// Messages returns the English text of every code, with placeholders in braces, so that another
// language can be checked for completeness.
func Messages() map[string]string { return maps.Clone(english) }

var english = map[string]string{
	api.CodeRequired:          "the cell is empty; it needs a value",
	CodeTooLong:               "the text is too long: at most {max} characters",
	CodeControlCharacter:      "the text holds a line break or an invisible control character; type the cell again",
	CodeUnreadableText:        "the text holds characters that cannot be read; save the file as CSV UTF-8 and try again",
	CodeGarbledText:           "the accents of the text were garbled by an earlier conversion (as in JoÃ£o); correct the text",
	CodeMixedEncoding:         "this line is written in UTF-8 and the rest of the file in Windows-1252; save all of it in one encoding",
	CodeFormulaError:          "the cell holds an error of the spreadsheet instead of a value, or a formula that was never calculated; correct the formula, and save the workbook once more",
	CodeInvalidEmail:          "this is not one plain e-mail address such as ana@example.com",
	CodeScientific:            "the spreadsheet shortened the number and digits are lost; format the column as Text and enter the number again",
	CodeSpreadsheetDate:       "the spreadsheet made a date of what was typed; format the column as Text and enter the value again",
	cpf.CodeInvalidLength:     "a CPF has 11 digits; this has {digits}",
	cpf.CodeInvalidCharacters: "this is not a CPF; enter digits only, or write it as 000.000.000-00",
	cpf.CodeInvalidCheckDigit: "the check digits of the CPF are wrong; compare it with the subscriber's papers",
	cpf.CodeRepeatedDigits:    "a CPF is never one digit repeated; enter the real one",
	cpf.CodeCNPJ:              "this is a company number (CNPJ); only a person's CPF can be registered",
	cpf.CodeInvalidPhone:      "this is not a telephone number: area code and 9 digits starting with 9, or 8 starting with 2 to 5",
	cpf.CodeInvalidAreaCode:   "Brazil has no such area code; write the area code in front, as (11) 98765-4321",
	cpf.CodeMissingAreaCode:   "the area code is missing; write it in front, as (11) 98765-4321",

	api.CodeUnknownInternetSpeed: "the speed {value} is not in the list of internet speeds; `ativa subscribers speeds` shows it; say which it is with --map-value '{mapping}=SPEED'",
	CodeAmbiguousSpeed:           "{number} may be the speed {number} Mega or the id of {other}; write `{number} Mega`, name the column internet_speed_id, or say which with --map-value '{mapping}={number} Mega'",
	api.CodeUnknownProduct:       "the product {value} is not in your list{suggestion}; `ativa products` shows it; say which it is with --map-value '{mapping}=PRODUCT'",
	CodeAmbiguousProduct:         "the product {value} may be any of {candidates}; write its id or code, or say which with --map-value '{mapping}=PRODUCT'",
	api.CodeProductInactive:      "the product {product} is not active",
	api.CodeActionNotAllowed:     "the product {product} cannot be activated",
	CodeUnknownStatus:            "the status {value} is not known; say what it means with --map-value '{mapping}=suspended' (or active, overdue, canceled; none registers without a service). An import refuses rows that are not active, `ativa sync` can act on them; --map ignore={column} leaves out a column that is not the subscriber's status",
	CodeNotActive:                "the status {value} does not mean active, so the row is refused; `ativa sync` can act on it, and an import with --map-value '{mapping}=none' registers the subscriber without a service; --map ignore={column} leaves out a column that is not the subscriber's status",
	CodeNotYesNo:                 "the column of a product holds {value} instead of yes or no; write X, Sim or 1 for yes, Não, 0 or nothing for no, or leave the column out with --map ignore={column}",
	CodeInvalidDays:              "this is not a number of days: 0 to {max}",
	CodeDuplicate:                "line {line} already has this CPF with other data; keep one of the two",
	CodeHeldBack:                 "line {line} has the same CPF and is wrong; correct that line, both are imported together",

	CodeTooFewColumns:  "the line has fewer columns ({columns}) than the header ({expected}); a delimiter or a part of the line is missing",
	CodeTooManyColumns: "the line has more columns ({columns}) than the header ({expected}); put a text that contains {delimiter} in quotes",
	CodeUnclosedQuote:  "a quote (\") opened in this line is not closed properly; close it, or remove it",
	CodeStrayQuote:     "a quoted text goes on after its closing quote (\"); double the quotes inside it, or remove them",
	CodeRecordTooLong:  "the line is longer than {max} bytes",
	CodeRepeatedHeader: "the header is repeated here; remove the line",
	CodeAnotherHeader:  "another header begins here, as when two files were put together; put the lines from here on into a file of their own",
	CodeTotalRow:       "this is a total, not a subscriber; remove the line",

	CodeFileChanged:      "the file was changed while it was read: run the command again when nobody writes to it",
	CodeEmptyFile:        "the file is empty",
	CodeNoRows:           "the file has a header and no rows",
	CodeNotATable:        "this is {kind}, not a table; save it as CSV or .xlsx",
	CodeUnknownEncoding:  "the encoding {encoding} is not known; use utf-8, utf-16le, utf-16be or windows-1252",
	CodeOldEncoding:      "the accents are written in an encoding of old Macs or of DOS; save the file as CSV UTF-8 or .xlsx",
	CodeUTF32:            "the file is written in UTF-32; save it as CSV UTF-8 or .xlsx",
	CodeUnknownDelimiter: "{delimiter} cannot be a delimiter; use ; , tab or |",
	CodeCutCharacter:     "the file ends in the middle of a character; it was not copied whole",
	CodeNoHeaderRow:      "the first rows have no column name that is known; add a header or remove the rows above it, or use --map {field}=COLUMN. Found: {found}",
	CodeSingleQuotes:     "the texts are in single quotes ('); save the file with double quotes (\") around texts",
	CodeNoHeader:         "the first line has no column name that is known (delimiter {delimiter}); add a header, or use --delimiter and --map {field}=COLUMN. Found: {found}",
	CodeMissingColumn:    "no column for {fields}; rename a column, or choose one with --map {field}=COLUMN. Not used: {found}",
	CodeAmbiguousColumn:  "the columns {found} may all be {field}; choose one with --map {field}=COLUMN",
	CodeUnclearColumn:    "the column {column} is not known and looks like {fields}; use {flags}, or --map ignore={column}",
	CodeSameName:         "the columns {numbers} are all called {column}; choose one by its number, as --map {field}={first}",
	CodeUnread:           "the line has an error, and cannot be read again: the file was changed",
	CodeTwoFields:        "the column {column} is mapped to both {other} and {field}; leave one of them out",
	CodeUnknownField:     "{field} is not a field of a subscriber; use one of {fields}",
	CodeNoMapping:        "{mapping} is not field=column",
	CodeNoValueMapping:   "{mapping} is not products:VALUE=PRODUCT, speed:VALUE=SPEED or status:VALUE=STATUS",
	CodeUnknownMeaning:   "--map-value {mapping}: the server does not have {meaning}{suggestion}",
	CodeSavedMeaning:     "an earlier --save-map keeps {mapping}, but the server does not have {meaning}{suggestion}; say what it means now with --map-value and --save-map, or forget all such meanings with `ativa config unset import_values`",
	CodeNoStatus:         "--map-value {mapping}: {meaning} is not a status; use active, suspended, overdue, canceled, or none for a subscriber without a service",
	CodeNoSuchColumn:     "the file has no column {column}; it has {found}",
	CodeSwappedColumns:   "the columns {first} and {second} seem to be swapped in {share} % of the rows; correct the header, or use --map {firstField}={second} --map {secondField}={first}",
	CodeNoSuchSheet:      "the workbook has no sheet {sheet}; it has {found}",
	CodeNoSheets:         "a text file has no sheet {sheet}; leave out --sheet, or save the file as .xlsx",

	CodeSheetWithoutTable: "the sheet {sheet} has no column for {fields}; choose another sheet, as --sheet {other}, or use --map FIELD=COLUMN. The others: {others}",
	CodeSheetWithoutRows:  "the sheet {sheet} has a header and no rows; choose another sheet, as --sheet {other}. The others: {others}",

	CodeDamagedWorkbook: "the workbook cannot be read ({detail}); open it and save it again",

	NoticeUnknownColumn: "the column {column} is not known and left out",
	NoticeSimilarColumn: "the column {column} is left out; if it is {field}, use --map {field}={column}",
	NoticeJoinedColumns: "the columns {first} and {second} are joined into {field}",
	NoticeProductColumn: "the column {column} says which rows have that product",
	NoticeStatusColumn:  "the column {column} is left out: every document of the file counts, whatever its status is there",
	NoticeHeaderLine:    "the header is in line {line}; the lines above it are ignored",
	NoticeHiddenColumn:  "the column {column} is hidden in the workbook, and read like the others",
	NoticeSavedColumn:   "the column {column} is read as {field} because of an earlier --save-map; `ativa config unset import_columns` forgets it",
	NoticeSavedIgnore:   "the column {column} is left out because of an earlier --save-map; `ativa config unset import_columns` forgets it",
	NoticeSavedValue:    "{mapping} applies because of an earlier --save-map; `ativa config unset import_values` forgets it",
	NoticeSheets:        "only the sheet {sheet} is read; the workbook has {found}",

	RepairLostZeros:     "lost leading zeros of the CPF were restored",
	RepairDecimalTail:   "a decimal tail (.0) was removed",
	RepairSeparators:    "thousands separators or unusual punctuation were removed",
	RepairScientific:    "a number in scientific notation with all its digits was written out",
	RepairTextFormula:   "a text written as a formula (=\"…\") was unwrapped",
	RepairMailto:        "mailto: was removed",
	RepairAreaCode:      "the area code was taken from its own column",
	RepairMergedCells:   "a value was taken from the first of merged cells, as the spreadsheet shows it",
	RepairExtraZeros:    "three zeros before a valid CPF were removed",
	RepairPhoneNotes:    "a note, an extension or the code of an operator was removed",
	RepairQuotes:        "quotes around the address were removed",
	RepairNoValue:       "a word for no value (as NULL) was read as an empty cell",
	RepairSeveralPhones: "the first valid one of several telephone numbers was taken",
}
