package histogram_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"ativa/internal/histogram"
)

func TestBucketsAddUpAndHoldTheirBound(t *testing.T) {
	f := histogram.New("x_seconds")
	var b bytes.Buffer
	if f.WritePrometheus(&b); b.Len() > 0 {
		t.Errorf("got %s of nothing", b.String())
	}
	for _, ms := range []int{0, 1, 2, 50, 51, 90_000} {
		f.Observe(`kind="a"`, time.Duration(ms)*time.Millisecond)
	}
	f.Observe(`kind="b"`, 2*time.Second)
	f.WritePrometheus(&b)
	got := b.String()
	if !strings.HasPrefix(got, "# HELP x_seconds\n# TYPE x_seconds histogram\nx_seconds_bucket{kind=\"a\",le=\"0.001\"} 2\n") || strings.Count(got, "TYPE") != 1 {
		t.Errorf("got %s", got)
	}
	for _, want := range []string{
		`x_seconds_bucket{kind="a",le="0.0025"} 3`, `x_seconds_bucket{kind="a",le="0.05"} 4`, `x_seconds_bucket{kind="a",le="0.1"} 5`,
		`x_seconds_bucket{kind="a",le="60"} 5`, `x_seconds_bucket{kind="a",le="+Inf"} 6`, `x_seconds_sum{kind="a"} 90.104`, `x_seconds_count{kind="a"} 6`,
		`x_seconds_bucket{kind="b",le="1"} 0`, `x_seconds_bucket{kind="b",le="2.5"} 1`, `x_seconds_sum{kind="b"} 2`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("lacks %s:\n%s", want, got)
		}
	}
}

func TestALabelIsEscapedAsTheTextFormatKnows(t *testing.T) {
	for value, want := range map[string]string{
		"Provedor\u00a0Azul": "\"Provedor\u00a0Azul\"", "👩\u200d🔧": "\"👩\u200d🔧\"", `a"b\c` + "\n": `"a\"b\\c\n"`, "": `""`,
	} {
		if got := histogram.Quote(value); got != want {
			t.Errorf("%q: got %s, want %s", value, got, want)
		}
	}
}
