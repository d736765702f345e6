package sheet_test

import (
	"strings"
	"testing"

	"ativa/internal/sheet"
)

// cell returns a file whose row of Ana has another value in one column.
func cell(column int, value string) string {
	cells := strings.Split(strings.TrimSuffix(ana, "\n"), ";")
	cells[column-1] = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
	return header + strings.Join(cells, ";") + "\n"
}

// anaWith returns the row of Ana with another value and a repair.
func anaWith(old, now, repair string) []string {
	row := "2 " + strings.Replace(anaRow, old, now, 1)
	if repair != "" {
		row += " [" + repair + "]"
	}
	return []string{row}
}

func TestDocumentsAreRepairedOnlyIfCertain(t *testing.T) {
	ok := func(document, repair string) []string { return anaWith("52998224725", document, repair) }
	bad := func(code string) []string { return []string{"2 3:" + code} }
	tests := []struct {
		value string
		want  []string
	}{
		{"\u00a0 52998224725\u200b", ok("52998224725", "")},
		{"12345601", ok("00012345601", "lost_zeros")},
		{"1234552", bad("invalid_length")}, // four zeros lost: uncertain
		{"1.234.567-97", ok("00123456797", "lost_zeros")},
		{"52998224725.0", ok("52998224725", "decimal_tail")},
		{"52998224725,00", ok("52998224725", "decimal_tail")},
		{"12345601.0", ok("00012345601", "lost_zeros")},
		{"5,2998224725E+10", ok("52998224725", "scientific")},
		{"5.2998224725e10", ok("52998224725", "scientific")},
		{"5,2998224725E+010", ok("52998224725", "scientific")},
		{"5,2998224725E+11", bad("scientific_notation")},
		{"5E+10", bad("scientific_notation")},
		{"52.998.224.725", ok("52998224725", "separators")},
		{"'52998224725", ok("52998224725", "separators")},
		{`="00000000191"`, ok("00000000191", "text_formula")},
		{"529982247250", bad("invalid_length")},
		{"00052998224725", ok("52998224725", "extra_zeros")},
	}
	var files []fileCase
	for _, tt := range tests {
		files = append(files, fileCase{name: tt.value, content: cell(3, tt.value), want: tt.want})
	}
	runFiles(t, files)
}

func TestOtherCellsAreRepairedOnlyIfCertain(t *testing.T) {
	ok := anaWith
	phone := func(now, repair string) []string { return ok("+5511987654321", now, repair) }
	product := func(ids, repair string) []string { return ok("Fibra|1", "Fibra|"+ids, repair) }
	tests := []struct {
		column int
		value  string
		want   []string
	}{
		{1, " Ana\u00a0Souza ", ok("", "", "")},
		{1, "'=Ana", ok("Ana Souza", "=Ana", "")},
		{1, strings.Repeat("á", 255), ok("Ana Souza", strings.Repeat("á", 255), "")},
		{1, strings.Repeat("á", 256), []string{"2 1:too_long"}},
		{2, "mailto:ana@example.com", ok("", "", "mailto")},
		{2, "<mailto:ana@example.com>", ok("", "", "mailto")},
		{2, "“ana@example.com”", ok("", "", "quotes")},
		{2, "a..b@example.com", []string{"2 2:invalid_email"}},
		{2, strings.Repeat("a", 244) + "@b.example", ok("ana@example.com", strings.Repeat("a", 244)+"@b.example", "")},
		{2, strings.Repeat("a", 245) + "@b.example", []string{"2 2:too_long"}},
		{4, "11987654321.0", phone("+5511987654321", "decimal_tail")},
		{4, "1,1987654321E+10", phone("+5511987654321", "scientific")},
		{4, "5.51199E+12", []string{"2 4:scientific_notation"}},
		{4, "(11) 3333-4444 / (11) 98765-4321", phone("+551133334444", "several_phones")},
		{4, "999 ou 11 98765-4321", phone("+5511987654321", "several_phones")},
		{6, strings.Repeat("é", 255), ok("Fibra", strings.Repeat("é", 255), "")},
		{6, strings.Repeat("é", 256), []string{"2 6:too_long"}},
		{7, "PLAY_BASIC", product("1", "")},
		{7, "play básico", product("1", "")},
		{7, "1.0", product("1", "decimal_tail")},
		{7, "play-basic + musica", product("1 3", "")},
		{7, "Música, Jogos + Mais", product("3", "")},
		{7, "Play Premium\nMúsica, Jogos + Mais", product("2 3", "")},
		{7, "1|1|1", product("1", "")},
		{7, "1.3", []string{"2 7:unknown_product"}},
		{7, "1;99", []string{"2 7:unknown_product"}},
		{7, "old", []string{"2 7:product_inactive"}},
		{7, "fixed", []string{"2 7:action_not_allowed"}},
	}
	var files []fileCase
	for _, tt := range tests {
		files = append(files, fileCase{name: number(tt.column) + " " + tt.value, content: cell(tt.column, tt.value), want: tt.want})
	}
	runFiles(t, files)
}

func TestMessagesSayTheRemedy(t *testing.T) {
	tests := []struct{ content, want string }{
		{cell(3, "1,23E+10"), "line 2, column 3 (cpf): the spreadsheet shortened the number and digits are lost; format the column as Text and enter the number again"},
		{cell(3, "3167684.0"), "line 2, column 3 (cpf): a CPF has 11 digits; this has 7"},
		{cell(5, "10"), "line 2, column 5 (velocidade): 10 may be the speed 10 Mega or the id of 100 Mbps; write `10 Mega`, name the column internet_speed_id, or say which with --map-value 'speed:10=10 Mega'"},
		{cell(7, "play-basik"), "line 2, column 7 (produtos): the product \"play-basik\" is not in your list (did you mean 1 play-basic \"Play Básico\"?); `ativa products` shows it; say which it is with --map-value 'products:play-basik=PRODUCT'"},
		{cell(7, "2"), "line 2, column 7 (produtos): the product \"2\" may be any of 2 play-premium \"Play Premium\", 12 2 \"Doze\"; write its id or code, or say which with --map-value 'products:2=PRODUCT'"},
		{header + ana + strings.Replace(ana, "Souza", "Lima", 1), "line 3, column 3 (cpf): line 2 already has this CPF with other data; keep one of the two"},
		{header + ana + strings.Replace(ana, "11987654321", "1", 1), "line 2, column 3 (cpf): line 3 has the same CPF and is wrong; correct that line, both are imported together"},
		{header + "a;b\n", "line 2: the line has fewer columns (2) than the header (7); a delimiter or a part of the line is missing"},
	}
	for _, tt := range tests {
		s := summary(t, tt.content, sheet.Options{})
		if len(s.First) == 0 {
			t.Fatalf("%q: %v", tt.content, s)
		}
		if got := s.First[0].Error(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}
