package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/api"
)

func some[T any](v T) *T { return &v }

func importResponses() []api.ImportResponse {
	return []api.ImportResponse{
		{Response: api.ResponseSuccess},
		{Response: api.ResponsePartial, ImportOutcome: api.ImportOutcome{
			Summary: api.ImportSummary{Total: 6, Created: 1, Existing: 2, Duplicate: 3, Failed: 4},
			Results: api.List[api.ImportResult]{
				{Document: "52998224725", Result: api.ResultCreated, Services: api.List[api.ImportedService]{
					{ProductID: 25, Status: "inProgress", StatusID: 10}, {ProductID: -1, Status: "what\n\"else\"", StatusID: 6, QueuePosition: 17}}},
				{Index: 1, Result: api.ResultExisting, Differs: []string{"email", "phone"}},
				{Index: 2, Result: api.ResultDuplicate, DuplicateOf: some(0)},
				{Index: 3, Result: api.ResultFailed, Errors: []api.FieldError{{Field: "document", Code: "invalid_check_digit", Detail: "os dígitos <não> conferem"}, {}}},
			},
		}},
	}
}

func batchResponses() []api.BatchResponse {
	return []api.BatchResponse{
		{Response: api.ResponseSuccess},
		{Response: api.ResponsePartial, BatchOutcome: api.BatchOutcome{
			Operation: api.Suspend, ProductID: 25, Summary: api.BatchSummary{Total: 4, Accepted: 3, Unchanged: 2, Failed: 1},
			Results: api.List[api.BatchResult]{
				{Document: "52998224725", Result: api.ResultAccepted, Status: some("waitingSuspension"), StatusID: some(api.Int(14)), PreviousStatus: some("active"), OperationID: "op_a1"},
				{Index: 1, Result: api.ResultAccepted, Status: some("limitReached"), StatusID: some(api.Int(6)), QueuePosition: 3},
				{Index: 2, Result: api.ResultFailed, Code: "service_not_found", Detail: "não há"},
			},
		}},
	}
}

// The responses of our server are read without encoding/json, to the same values.
func TestOurResponsesAreReadInOnePass(t *testing.T) {
	for _, want := range importResponses() {
		checkRead(t, want, func(b []byte) (got api.ImportResponse, ok bool) { ok = got.ReadJSON(b); return got, ok })
	}
	for _, want := range batchResponses() {
		checkRead(t, want, func(b []byte) (got api.BatchResponse, ok bool) { ok = got.ReadJSON(b); return got, ok })
	}
}

func checkRead[T any](t *testing.T, response T, read func([]byte) (T, bool)) {
	t.Helper()
	text := encode(t, response)
	got, ok := read([]byte(text))
	if !ok {
		t.Errorf("%s is not read", text)
		return
	}
	var want T
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", text, d)
	}
}

// A refusal, an answer without results and what another server writes in its own way
// are left to encoding/json.
func TestOtherResponsesAreNotReadInOnePass(t *testing.T) {
	for _, s := range []string{
		``, `null`, `[]`, `{}`, `<html>`, `{"response":"success"}`, `{"response":"success","summary":{},"results":[]`,
		`{"response":"error","summary":{"total":1},"results":[]}`, `{"response":"fail","summary":{},"results":[]}`,
		`{"response":"success","summary":{}}`, `{"summary":{},"results":[]}`, `{"response":"success","summary":{},"results":[]} x`,
		`{"response":"success","summary":{},"results":[{"index":"0"}]}`, `{"response":"success","summary":{},"results":[{"Index":0}]}`,
		`{"response":"success","summary":{},"results":null}`, `{"response":"success","summary":{"more":1},"results":[]}`,
		`{"response":"success","summary":{},"results":[{"index":1.0}]}`, `{"response":"success","summary":{},"results":[{"index":0,"index":1}]}`,
	} {
		var i api.ImportResponse
		var b api.BatchResponse
		if i.ReadJSON([]byte(s)) || b.ReadJSON([]byte(s)) {
			t.Errorf("%s: is read, want it left", s)
		}
	}
}

// What is read in one pass is what encoding/json reads.
func FuzzResponsesAreReadAsJSONReadsThem(f *testing.F) {
	for _, r := range importResponses() {
		f.Add(encode(f, r))
	}
	for _, r := range batchResponses() {
		f.Add(encode(f, r))
	}
	f.Fuzz(func(t *testing.T, s string) {
		var i, wantImport api.ImportResponse
		if i.ReadJSON([]byte(s)) {
			if err := json.Unmarshal([]byte(s), &wantImport); err != nil || cmp.Diff(wantImport, i) != "" {
				t.Errorf("%s: %v %s", s, err, cmp.Diff(wantImport, i))
			}
		}
		var b, wantBatch api.BatchResponse
		if b.ReadJSON([]byte(s)) {
			if err := json.Unmarshal([]byte(s), &wantBatch); err != nil || cmp.Diff(wantBatch, b) != "" {
				t.Errorf("%s: %v %s", s, err, cmp.Diff(wantBatch, b))
			}
		}
	})
}

func TestAppendedRequestsAreWhatJSONWrites(t *testing.T) {
	row := api.ImportRow{SubscriberCreate: api.SubscriberCreate{Name: "João \"<b>&\"\x01\u2028\xff", Email: "joao@example.com", Document: "52998224725",
		Phone: "+5511987654321", InternetSpeedID: api.Some(api.Int(38)), CustomerPlan: "Fibra"}, ProductsIDs: api.List[api.Int]{1, -25}}
	null := api.ImportRow{SubscriberCreate: api.SubscriberCreate{InternetSpeedID: api.Optional[api.Int]{Set: true, Null: true}}}
	for _, r := range []interface{ AppendJSON([]byte) []byte }{
		api.ImportRequest{}, api.ImportRequest{Subscribers: api.List[api.ImportRow]{row, {}, null}},
		api.BatchRequest{}, api.BatchRequest{Product: 25, Documents: api.List[string]{"52998224725", `"`}},
	} {
		if got, want := string(r.AppendJSON(nil)), encode(t, r); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestAResultIsKeptAsJSONWritesIt(t *testing.T) {
	for _, want := range append(batchResponses()[1].Results, api.BatchResult{}) {
		text := want.AppendJSON(nil)
		if string(text) != encode(t, want) {
			t.Errorf("got  %s\nwant %s", text, encode(t, want))
		}
		var got api.BatchResult
		if !got.ReadJSON(text) || cmp.Diff(want, got) != "" {
			t.Errorf("%s reads back as %+v", text, got)
		}
	}
}

// A response of a thousand results costs few allocations.
func TestReadingAResponseAllocatesLittle(t *testing.T) {
	one := `{"index":1,"document":"52998224725","result":"created","services":[{"product_id":1,"status":"inProgress","status_id":10}]}`
	body := []byte(`{"response":"success","summary":{"total":1000},"results":[` + strings.Repeat(one+",", 999) + one + `]}`)
	got := testing.AllocsPerRun(10, func() {
		var r api.ImportResponse
		if !r.ReadJSON(body) || len(r.Results) != 1000 {
			t.Fatal("not read")
		}
	})
	if got > 1100 { // one for the services of each result
		t.Errorf("got %v allocations for 1,000 results, want at most 1,100", got)
	}
}
