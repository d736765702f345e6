package operator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metricsql"
	"go.yaml.in/yaml/v3"

	"ativa/internal/service/store/pgcluster"
	"ativa/internal/service/store/pgtest"
)

// documentedMetrics are the names in the table of docs/operating.md.
func documentedMetrics(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(ativa_[a-z_]+)[{`]").FindAllSubmatch(page(t, "operating.md"), -1) {
		names = append(names, string(m[1]))
	}
	return names
}

// The server exports exactly the metrics of the manual's table, each with its TYPE. Durations are
// histograms, so that Prometheus can compute quantiles. A database that is gone is a metric, too.
func TestMetricsAreDocumented(t *testing.T) {
	s := running(t, ServeOptions{metricsListen: metricsPublic})
	defer func() {
		s.stopWorkers()
		must(t, s.http.Close())
		s.workers.Wait()
	}()
	_, err := CreateDemoData(t.Context(), s.Parts, 10, 0)
	must(t, err)
	importOne(t, s.Parts)
	get(t, s.URL+"/livez")
	_, text := get(t, s.URL+"/metrics")
	documented := documentedMetrics(t)
	types := map[string]string{}
	for _, family := range strings.Split(strings.TrimPrefix(text, "# HELP "), "# HELP ") {
		name, rest, _ := strings.Cut(family, "\n")
		line := regexp.QuoteMeta(name) + `(_bucket|_sum|_count)?({[^}]*})? [-+.\deE]+\n`
		m := regexp.MustCompile(`^# TYPE ` + regexp.QuoteMeta(name) + ` (counter|gauge|histogram|summary)\n(` + line + `)*$`).FindStringSubmatch(rest)
		if m == nil || types[name] != "" {
			t.Errorf("%q is no metric in the Prometheus text format, or is there twice", family)
			continue
		}
		if types[name] = m[1]; strings.HasPrefix(name, "ativa_") && !slices.Contains(documented, name) {
			t.Errorf("%s: not in the table of docs/operating.md", name)
		}
	}
	for _, want := range []string{
		"ativa_store_up 1\n", "ativa_store_writes_waiting ", "ativa_services_queued 0\n", "ativa_operations_waiting 0\n", "process_resident_memory_bytes ",
		`ativa_outbox_jobs{kind="callback",state="dead"} 0`, `ativa_outbox_late_seconds{kind="callback"} 0`,
		`ativa_build_info{version="dev"`, `ativa_http_request_duration_seconds_bucket{method="GET",route="/livez",le="0.05"} `, `le="+Inf"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if strings.Contains(text, "vmrange") || types["ativa_http_request_duration_seconds"] != "histogram" || types["ativa_store_up"] != "gauge" {
		t.Errorf("types: %v; want classic histograms and gauges", types)
	}
	must(t, s.Store.Close())
	if _, text := get(t, s.URL+"/metrics"); !strings.Contains(text, "ativa_store_up 0\n") {
		t.Error("the metrics do not show that the database is gone")
	}
	if status, _ := get(t, s.URL+"/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("/readyz without a database: got %d, want 503", status)
	}
}

func TestEveryAlertCanFireAndIsInTheRunbook(t *testing.T) {
	var rules struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	d := yaml.NewDecoder(bytes.NewReader(page(t, "monitoring/alerts.yaml")))
	d.KnownFields(true)
	must(t, d.Decode(&rules))
	var alerts, sections []string
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			alerts = append(alerts, rule.Alert)
			checkExpression(t, rule.Alert, rule.Expr)
			if rule.Annotations["summary"] == "" || !slices.Contains([]string{"page", "ticket"}, rule.Labels["severity"]) {
				t.Errorf("%s: no summary, or the severity is neither page nor ticket", rule.Alert)
			}
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^## (Ativa\w+)$`).FindAllSubmatch(page(t, "runbook.md"), -1) {
		sections = append(sections, string(m[1]))
	}
	slices.Sort(alerts)
	slices.Sort(sections)
	if !slices.Equal(alerts, sections) {
		t.Errorf("the runbook has %v, want a section for each of %v", sections, alerts)
	}
}

func TestTheDashboardShowsEveryMetric(t *testing.T) {
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	must(t, json.Unmarshal(page(t, "monitoring/dashboard.json"), &dashboard))
	var shown []string
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			shown = append(shown, checkExpression(t, panel.Title, target.Expr)...)
		}
	}
	for _, name := range documentedMetrics(t) {
		if !slices.Contains(shown, name) {
			t.Errorf("no panel shows %s", name)
		}
	}
}

func page(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + name)
	must(t, err)
	return text
}

// checkExpression checks that an expression parses and uses existing metrics, and returns
// their names. up is Prometheus's own.
func checkExpression(t *testing.T, where, text string) (names []string) {
	t.Helper()
	expr, err := metricsql.Parse(text)
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return nil
	}
	for _, name := range metricsOf(expr) {
		name = regexp.MustCompile("_(bucket|sum|count)$").ReplaceAllString(name, "")
		names = append(names, name)
		if name != "up" && !slices.Contains(documentedMetrics(t), name) {
			t.Errorf("%s: no metric %s", where, name)
		}
	}
	return names
}

func metricsOf(e metricsql.Expr) (names []string) {
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

// Metrics have their own address, which serves nothing else. They are at the API's
// address only with --metrics-listen public (decisions.md 8).
func TestMetricsHaveTheirOwnAddress(t *testing.T) {
	port, err := pgcluster.FreePort(t.Context()) // where nobody else listens afterwards
	must(t, err)
	addr := fmt.Sprint("127.0.0.1:", port)
	for _, c := range []struct {
		listen            string
		public, elsewhere int // status of /metrics
	}{
		{addr, http.StatusNotFound, http.StatusOK},
		{metricsPublic, http.StatusOK, 0},
		{metricsOff, http.StatusNotFound, 0},
	} {
		s, err := StartService(t.Context(), ServeOptions{Listen: "127.0.0.1:0", DB: pgtest.DSN(t), metricsListen: c.listen}, slog.New(slog.DiscardHandler))
		must(t, err)
		for _, path := range []string{"/metrics", "/api/metrics"} {
			status, text := get(t, s.URL+path)
			if status != c.public || c.public == http.StatusNotFound && !strings.Contains(text, `"code":"not_found"`) {
				t.Errorf("--metrics-listen %q: %s at the API's address is %d: %.200s", c.listen, path, status, text)
			}
		}
		if c.elsewhere != 0 {
			if status, text := get(t, "http://"+addr+"/metrics"); status != c.elsewhere || !strings.Contains(text, "ativa_store_up 1\n") {
				t.Errorf("got %d: %.200s", status, text)
			}
			for _, path := range []string{"/", "/readyz", "/products", "/openapi.yaml"} {
				if status, _ := get(t, "http://"+addr+path); status != http.StatusNotFound {
					t.Errorf("%s at the metrics' address is %d, want 404", path, status)
				}
			}
		}
		must(t, s.Stop())
		if _, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
			t.Errorf("--metrics-listen %q: something listens there after the end", c.listen)
		}
	}
}

func TestAnAddressInUseDisablesOnlyTheMetrics(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	var log strings.Builder
	s, err := StartService(t.Context(), ServeOptions{Listen: "127.0.0.1:0", DB: pgtest.DSN(t), metricsListen: taken.Addr().String()}, slog.New(slog.NewTextHandler(&log, nil)))
	must(t, err)
	if status, _ := get(t, s.URL+"/readyz"); status != http.StatusOK {
		t.Errorf("/readyz is %d", status)
	}
	must(t, s.Stop())
	if text := log.String(); !strings.Contains(text, "level=WARN") || !strings.Contains(text, taken.Addr().String()) || !strings.Contains(text, "--metrics-listen") {
		t.Errorf("the log is %q", text)
	}
}
