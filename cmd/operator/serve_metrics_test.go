package operator

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/VictoriaMetrics/metricsql"
	"go.yaml.in/yaml/v3"
)

// documentedFigures are the names in the table of docs/operating.md.
func documentedFigures(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(ativa_[a-z_]+)[{`]").FindAllSubmatch(page, -1) {
		names = append(names, string(m[1]))
	}
	return names
}

// The figures are those of the table, each with HELP and TYPE, and durations are
// histograms of which Prometheus can take quantiles.
func TestFiguresAreDescribedToPrometheusAndInTheManual(t *testing.T) {
	s := running(t, ServeOptions{})
	defer func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := CreateDemoData(t.Context(), s.Manager, 10, 0); err != nil {
		t.Fatal(err)
	}
	importOne(t, s.Manager)
	get(t, s.URL+"/livez")
	_, text := get(t, s.URL+"/metrics")
	documented := documentedFigures(t)
	types := map[string]string{}
	var current string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			name, words, _ := strings.Cut(rest, " ")
			if current = name; words == "" || types[name] != "" {
				t.Errorf("%s: HELP is %q, or stands there twice", name, words)
			}
			if strings.HasPrefix(name, "ativa_") && (!slices.Contains(documented, name) || words == strings.ReplaceAll(name, "_", " ")) {
				t.Errorf("%s: not in the table of docs/operating.md, or without words of its own", name)
			}
			continue
		}
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, kind, _ := strings.Cut(rest, " ")
			if name != current || !slices.Contains([]string{"counter", "gauge", "histogram", "summary"}, kind) {
				t.Errorf("%q follows the HELP of %s", line, current)
			}
			types[name] = kind
			continue
		}
		name, _, _ := strings.Cut(strings.ReplaceAll(line, "{", " "), " ")
		if types[current] == "histogram" || types[current] == "summary" {
			name = regexp.MustCompile("_(bucket|sum|count)$").ReplaceAllString(name, "")
		}
		if name != current {
			t.Errorf("%q stands below the HELP of %s", line, current)
		}
	}
	for _, want := range []string{`ativa_build_info{version="dev"`, `ativa_http_request_duration_seconds_bucket{method="GET",route="/livez",le="0.05"} `, `le="+Inf"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the figures lack %s", want)
		}
	}
	if strings.Contains(text, "vmrange") || types["ativa_http_request_duration_seconds"] != "histogram" || types["ativa_store_up"] != "gauge" {
		t.Errorf("types: %v; want classic histograms and gauges", types)
	}
}

// The alert rules of the manual can be read, and are about figures that exist.
func TestAlertRulesOfTheManualParse(t *testing.T) {
	documented := documentedFigures(t)
	seen := 0
	for _, file := range []string{"../../docs/operating.md", "../../docs/scaling.md"} {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?s)```yaml\n(groups:.*?)```").FindAllSubmatch(page, -1) {
			var rules struct {
				Groups []struct {
					Name  string
					Rules []struct {
						Alert, Expr, For    string
						Labels, Annotations map[string]string
					}
				}
			}
			d := yaml.NewDecoder(bytes.NewReader(m[1]))
			d.KnownFields(true)
			if err := d.Decode(&rules); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			for _, group := range rules.Groups {
				for _, rule := range group.Rules {
					seen++
					expr, err := metricsql.Parse(rule.Expr)
					if err != nil || rule.Alert == "" {
						t.Errorf("%s: %s: %v", file, rule.Alert, err)
						continue
					}
					for _, name := range figuresOf(expr) {
						if !slices.Contains(documented, regexp.MustCompile("_(bucket|sum|count)$").ReplaceAllString(name, "")) {
							t.Errorf("%s: %s: there is no figure %s", file, rule.Alert, name)
						}
					}
				}
			}
		}
	}
	if seen < 8 {
		t.Errorf("only %d rules were found", seen)
	}
}

// figuresOf names the figures that an expression is about.
func figuresOf(e metricsql.Expr) (names []string) {
	metricsql.VisitAll(e, func(e metricsql.Expr) {
		m, ok := e.(*metricsql.MetricExpr)
		if !ok {
			return
		}
		for _, filters := range m.LabelFilterss {
			for _, f := range filters {
				if f.Label == "__name__" {
					names = append(names, f.Value)
				}
			}
		}
	})
	return names
}
