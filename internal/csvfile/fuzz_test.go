package csvfile_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"strconv"
	"strings"
	"testing"

	"ativa/internal/csvfile"
	"ativa/internal/formula"
)

// Whatever the bytes are, reading ends with rows or with a problem of the
// file, every line is in order, and what is accepted reads the same when it is
// written as an export and read again.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		header + ana + joao, latin(header + joao), wide("\ufeff"+header+ana, binary.LittleEndian), wide(header+ana, binary.BigEndian),
		"sep=,\r\ncpf,nome,email,fone\r\n\"5\"\"2\",\"a\nb\",c,d\r\n", "cpf\n52998224725\n191\n", header + `"Rui` + ana + joao,
		strings.ReplaceAll(header+ana, "\n", "\r"), cell(3, `="191"`), cell(7, "1;3\n2"), cell(1, "'=x"),
		withColumns("Situação;Play Básico;musica", "ativo;x;-"), withColumns("status;ativo", "Normal;S"), "PK\x03\x04", header + ana[:20],
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, content []byte, list bool) {
		o := csvfile.Options{}
		if list {
			o.Profile = csvfile.Documents
		}
		accepted, _ := readBytes(t, content, o)
		if len(accepted) == 0 {
			return
		}
		again, problems := readBytes(t, export(t, accepted), o)
		if len(again) != len(accepted) {
			t.Fatalf("%d of %d rows read again: %v", len(again), len(accepted), problems)
		}
		for i := range accepted {
			got, want := describe(again[i]), describe(accepted[i])
			if strip(got) != strip(want) {
				t.Fatalf("read again %q, was %q", got, want)
			}
		}
	})
}

// readBytes gives the rows to be sent and what was wrong with others.
func readBytes(t *testing.T, content []byte, o csvfile.Options) (rows []*csvfile.Row, problems []string) {
	f, err := csvfile.OpenReader(bytes.NewReader(content), o)
	if err == nil {
		defer f.Close()
		_, err = f.Check(t.Context(), catalog())
	}
	if err != nil {
		p, ok := errors.AsType[*csvfile.Problem](err)
		if !ok {
			t.Fatalf("not a problem of the file: %v", err)
		}
		return nil, []string{p.Error()}
	}
	rejected := f.NewRejectedWriter(&bytes.Buffer{})
	last := 0
	for row, err := range f.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if row.Line <= last {
			t.Fatalf("line %d behind line %d", row.Line, last)
		}
		last = row.Line
		if row.OK() {
			rows = append(rows, row)
			continue
		}
		problems = append(problems, describe(row))
		if err := rejected.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	return rows, problems
}

// export writes rows as `subscribers export` does.
func export(t *testing.T, rows []*csvfile.Row) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	records := [][]string{{"name", "email", "document", "phone", "internet_speed_id", "customer_plan", "products_ids"}}
	for _, r := range rows {
		ids := make([]string, len(r.ProductsIDs))
		for i, id := range r.ProductsIDs {
			ids[i] = strconv.Itoa(int(id))
		}
		records = append(records, []string{formula.Escape(r.Name), formula.Escape(r.Email), r.Document, r.Phone,
			strconv.Itoa(int(r.InternetSpeedID.Value)), formula.Escape(r.CustomerPlan), strings.Join(ids, ";")})
	}
	if err := w.WriteAll(records); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// strip removes the line and the repairs of a described row.
func strip(s string) string {
	_, s, _ = strings.Cut(s, " ")
	for {
		before, _, found := strings.Cut(s, " [")
		if !found || !strings.HasSuffix(s, "]") {
			return s
		}
		s = before
	}
}
