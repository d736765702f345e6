package csvfile

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Problem is something wrong, or worth saying, about a file or about one place
// in it. It is also the error of this package.
type Problem struct {
	Line   int    // the physical line, from 1; 0 when it is about the whole file
	Column int    // the column, from 1; 0 when it is about the whole line
	Name   string // the column's name as the file has it
	Field  string // the subscriber field, as in the API; empty when none is meant
	Code   string // stable; [Messages] has the English text of each
	// Value is the cell. It may be personal data: it goes into the user's own
	// report and nowhere else.
	Value string
	Args  map[string]string // fill the placeholders of the message. They hold no personal data.
}

// Error is the place and the message, without the value.
func (p *Problem) Error() string {
	if where := p.Where(); where != "" {
		return where + ": " + p.Message()
	}
	return p.Message()
}

// Where is the place in words, as `line 7, column 3 (CPF)`.
func (p *Problem) Where() string {
	if p.Line == 0 {
		return ""
	}
	where := "line " + strconv.Itoa(p.Line)
	if p.Column == 0 {
		return where
	}
	where += ", column " + strconv.Itoa(p.Column)
	if p.Name != "" {
		where += fmt.Sprintf(" (%s)", p.Name)
	}
	return where
}

// Message is the English text of the problem.
func (p *Problem) Message() string {
	text, ok := english[p.Code]
	if !ok {
		return cmp.Or(p.Args["detail"], strings.ReplaceAll(p.Code, "_", " "))
	}
	return p.Fill(text)
}

// Fill puts the arguments of the problem into a text with placeholders such as
// {line}, so that another language needs only texts. {name} and {field} are
// the column and the field of the problem itself.
func (p *Problem) Fill(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	var pairs []string
	for k, v := range p.Args {
		pairs = append(pairs, "{"+k+"}", v)
	}
	pairs = append(pairs, "{name}", p.Name, "{field}", p.Field)
	return strings.NewReplacer(pairs...).Replace(text)
}

// Repair is damage of a cell that was repaired without a guess.
type Repair struct {
	Field string
	Code  string // one of the Repair words
}

// What can be repaired; [Messages] has their texts too.
const (
	RepairLostZeros     = "repaired_lost_zeros"
	RepairDecimalTail   = "repaired_decimal_tail"
	RepairSeparators    = "repaired_separators"
	RepairScientific    = "repaired_scientific"
	RepairTextFormula   = "repaired_text_formula"
	RepairMailto        = "repaired_mailto"
	RepairSeveralPhones = "repaired_several_phones"
	RepairAreaCode      = "repaired_area_code"
)

func number(n int) string { return strconv.Itoa(n) }
