package sheet_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"ativa/internal/api"
	"ativa/internal/formula"
	"ativa/internal/sheet"
)

// Any input gives rows or a problem of the file, every line is in order, and accepted rows read the
// same when they are exported and read again. What begins like a worksheet is put into a workbook.
func FuzzRead(f *testing.F) {
	text := func(cells ...string) string {
		return `<row><c t="inlineStr"><is><t>` + strings.Join(cells, `</t></is></c><c t="inlineStr"><is><t>`) + `</t></is></c></row>`
	}
	titles := text("Nome", "E-mail", "CPF", "Telefone", "Velocidade", "Plano", "Produtos")
	for _, seed := range []string{
		header + ana + joao, latin(header + joao), wide("\ufeff"+header+ana, unicode.LittleEndian), wide(header+ana, unicode.BigEndian),
		"sep=,\r\ncpf,nome,email,fone\r\n\"5\"\"2\",\"a\nb\",c,d\r\n", "cpf\n52998224725\n191\n", header + `"Rui` + ana + joao,
		strings.ReplaceAll(header+ana, "\n", "\r"), cell(3, `="191"`), cell(7, "1;3\n2"), cell(1, "'=x"),
		withColumns("Situação;Play Básico;musica", "ativo;x;-"), withColumns("status;ativo", "Normal;S"), "PK\x03\x04", header + ana[:20],
		titles + text("Ana Souza", "ana@example.com", "529.982.247-25", "11987654321", "100 Mega", "Fibra", "1;3"), text("CPF", "x") + `<row><c><v>52998224725</v></c><c r="XFD3"><v>1</v></c></row>`,
		titles + `<row r="7" hidden="1"><c t="str"><v>Zé</v></c><c t="str"><v>z@example.com</v></c><c><v>1.91E2</v></c><c><v>1133334444</v></c><c s="2"><v>500</v></c><c s="1"><v>45000.5</v></c><c t="b"><v>1</v></c></row>`,
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, content []byte, list bool) {
		o := sheet.Options{}
		if list {
			o.Profile = sheet.Documents
		}
		if bytes.HasPrefix(content, []byte("<row")) {
			content = []byte(worksheet(t, string(content), ""))
		}
		checkRoundTrip(t, content, o)
	})
}

// A report of any bytes is read to its end or to an error, and the lines read are the same after
// they are written and read again.
func FuzzReport(f *testing.F) {
	const titles = "line,document,result,services,code,field,value,detail,product_id,previous_status,status,operation_id\n"
	f.Add([]byte(titles + "2,52998224725,created,,,,,,1,,inProgress,op_1\n3,,invalid,,required,phone,\"=1\na\",\n"))
	f.Add([]byte("\ufeff" + strings.ReplaceAll(titles, ",", ";") + "2;529.982.247-25;accepted;;;;;;;;;\n"))
	f.Add([]byte("line,result\nx,\"\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		lines := readReport(content)
		text := writeReport(t, false, lines...)
		again := readReport(text)
		if written := writeReport(t, false, again...); len(again) != len(lines) || !bytes.Equal(written, text) {
			t.Errorf("got %d lines of %d:\n%q, want\n%q", len(again), len(lines), written, text)
		}
	})
}

// checkRoundTrip reads a file, and then an export of its rows.
func checkRoundTrip(t *testing.T, content []byte, o sheet.Options) {
	t.Helper()
	accepted := acceptedRows(t, content, o)
	if len(accepted) == 0 {
		return
	}
	again := acceptedRows(t, export(t, accepted), o)
	if len(again) != len(accepted) {
		t.Fatalf("%d of %d rows read again", len(again), len(accepted))
	}
	for i, row := range accepted {
		again[i].Line, again[i].Repairs = row.Line, row.Repairs
		if got, want := describe(again[i]), describe(row); got != want {
			t.Fatalf("read again %q, was %q", got, want)
		}
	}
}

// acceptedRows returns the valid rows, and writes the others as an import does.
func acceptedRows(t *testing.T, content []byte, o sheet.Options) (rows []*sheet.Row) {
	t.Helper()
	f, _, err := check(t, string(content), o)
	if err != nil {
		if _, ok := errors.AsType[*sheet.Problem](err); !ok {
			t.Fatalf("not a problem of the file: %v", err)
		}
		return nil
	}
	rejected(t, f)
	last := 0
	for row, err := range f.Rows(t.Context()) {
		must(t, err)
		if row.Line <= last {
			t.Fatalf("line %d behind line %d", row.Line, last)
		}
		if last = row.Line; row.OK() {
			rows = append(rows, row)
		}
	}
	return rows
}

// export writes rows as `subscribers export` does.
func export(t *testing.T, rows []*sheet.Row) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	records := [][]string{{"name", "email", "document", "phone", "internet_speed_id", "customer_plan", "products_ids"}}
	for _, r := range rows {
		ids := strings.ReplaceAll(strings.Trim(fmt.Sprint([]api.Int(r.ProductsIDs)), "[]"), " ", ";")
		records = append(records, []string{formula.Escape(r.Name), formula.Escape(r.Email), r.Document, r.Phone,
			number(int(r.InternetSpeedID.Value)), formula.Escape(r.CustomerPlan), ids})
	}
	must(t, w.WriteAll(records))
	return b.Bytes()
}
