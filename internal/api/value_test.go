package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/system/systemtest"
)

func TestIntReadsNumbersAndNumericStrings(t *testing.T) {
	for _, c := range []struct {
		in   string
		want api.Int
		ok   bool
	}{
		{`25`, 25, true}, {`"25"`, 25, true}, {`-1`, -1, true}, {`null`, 0, true},
		{`2.5`, 0, false}, {`"2.5"`, 0, false}, {`1e3`, 0, false}, {`""`, 0, false}, {`" 25"`, 0, false},
		{`true`, 0, false}, {`[1]`, 0, false}, {`{}`, 0, false}, {`99999999999999999999`, 0, false},
	} {
		var got struct{ N api.Int }
		err := json.Unmarshal([]byte(`{"N":`+c.in+`}`), &got)
		if (err == nil) != c.ok || got.N != c.want {
			t.Errorf("%s: got %d, %v; want %d, ok %t", c.in, got.N, err, c.want, c.ok)
		}
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); !c.ok && (!ok || wrong.Field != "N") {
			t.Errorf("%s: got %v, want a type error that names the field", c.in, err)
		}
	}
}

func TestFlagReadsOneAndTrue(t *testing.T) {
	for in, want := range map[string]api.Flag{
		`true`: true, `1`: true, `"1"`: true, `"true"`: true,
		`false`: false, `0`: false, `"0"`: false, `""`: false, `null`: false,
	} {
		got := !want && in != "null"
		if err := json.Unmarshal([]byte(in), &got); err != nil || got != want {
			t.Errorf("%s: got %t, %v; want %t", in, got, err, want)
		}
	}
	var f api.Flag
	if err := json.Unmarshal([]byte(`"yes"`), &f); err == nil {
		t.Error("yes: got no error")
	}
	if got, _ := json.Marshal(api.Flag(true)); string(got) != "true" {
		t.Errorf("got %s, want true", got)
	}
}

func TestListIsNeverNull(t *testing.T) {
	if got, _ := json.Marshal(api.HistoryResponse{}); string(got) != `{"history":[],"response":""}` {
		t.Errorf("got %s, want an empty array", got)
	}
}

func TestAnEmptyValueIsWrittenAsNull(t *testing.T) {
	type values struct {
		Text   api.NullableString
		Number api.NullableInt
	}
	for text, want := range map[string]values{`{"Text":null,"Number":null}`: {}, `{"Text":"x","Number":7}`: {"x", 7}} {
		var got values
		err := json.Unmarshal([]byte(text), &got)
		if written, _ := json.Marshal(got); err != nil || got != want || string(written) != text {
			t.Errorf("%s: got %+v, %v, and wrote %s", text, got, err, written)
		}
	}
}

func TestOptionalTellsAbsentFromNull(t *testing.T) {
	var u api.SubscriberUpdate
	must(t, json.Unmarshal([]byte(`{"name":"Ana","email":null,"internet_speed_id":"3"}`), &u))
	want := api.SubscriberUpdate{Name: api.Some("Ana"), InternetSpeedID: api.Some(api.Int(3))}
	want.Email.Set, want.Email.Null = true, true
	if u != want {
		t.Errorf("got %+v, want %+v", u, want)
	}
	got, err := json.Marshal(u)
	if want := `{"name":"Ana","email":null,"internet_speed_id":3}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	err = json.Unmarshal([]byte(`{"name":7}`), &u)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); !ok || wrong.Field != "name" {
		t.Errorf("a number as name: got %v, want a type error that names the field", err)
	}
}

func TestTimeIsUTCWithSixDecimals(t *testing.T) {
	zone := time.FixedZone("", -3*3600)
	for _, at := range []time.Time{
		time.Date(2026, 1, 31, 9, 34, 56, 123456789, zone),
		time.Date(2026, 12, 31, 23, 59, 59, 999999999, zone),
		time.Date(1, 2, 3, 4, 5, 6, 7000, time.UTC),
		time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC),
		time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		want := at.UTC().Format("2006-01-02T15:04:05.000000Z")
		if got := api.At(at).String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got, err := json.Marshal(api.At(at)); err != nil || string(got) != `"`+want+`"` {
			t.Errorf("got %s, %v; want %q", got, err, want)
		}
	}
	if got, _ := json.Marshal(api.Time{}); string(got) != "null" || (api.Time{}).String() != "" {
		t.Errorf("zero: got %s, want null", got)
	}
}

func TestTimeReadsOtherFormats(t *testing.T) {
	want := time.Date(2026, 1, 31, 12, 34, 56, 0, time.UTC)
	for in, want := range map[string]time.Time{
		`"2026-01-31T12:34:56.000000Z"`: want,
		`"2026-01-31T09:34:56-03:00"`:   want,
		`"2026-01-31 12:34:56"`:         want,
		`"2026-01-31T12:34:56"`:         want,
		`"2026-01-31"`:                  want.Truncate(24 * time.Hour),
		`"9999-12-31T23:59:59-12:00"`:   {}, // in UTC a year that cannot be written
		`"0000-01-01T00:00:00+14:00"`:   {},
		`"yesterday"`:                   {},
		`""`:                            {},
		`null`:                          {},
		`1769862896`:                    {},
		`{"date":"2026"}`:               {},
	} {
		got := api.At(want.Add(1))
		if err := json.Unmarshal([]byte(in), &got); err != nil || !got.Equal(want) {
			t.Errorf("%s: got %v, %v; want %v", in, got, err, want)
		}
	}
}

func TestAnEventOfAnotherServerIsRead(t *testing.T) {
	var e api.Event
	must(t, json.Unmarshal([]byte(`{"type":"service.status_changed","previous_status":"active","status":"x","status_id":99}`), &e))
	if e.StatusChange == nil || e.ProductID != 0 || e.SubscriberID != "" || e.ActorName != "" || *e.PreviousStatus != "active" || api.CategoryOf(e.StatusID) != api.CategoryUnknown {
		t.Errorf("got %+v", e)
	}
}

func TestStatusesAreThoseOfTheAPI(t *testing.T) {
	var got string
	for _, s := range api.Statuses() {
		got += fmt.Sprint(s.ID, " ", s.Name, " ", api.CategoryOf(s.ID), "; ")
	}
	const want = "1 active final; 3 canceled final; 4 suspend final; 6 limitReached intermediate; 7 overdue final; 10 inProgress intermediate; " +
		"11 error intermediate; 12 reactivated intermediate; 13 changed intermediate; 14 waitingSuspension intermediate; " +
		"15 waitingCancellation intermediate; 21 canceledWithoutActivation intermediate; 22 waitingSuspensionDueToOverdue intermediate; "
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

var must = systemtest.Must
