package outbox

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// Messages encode services and subscribers like the API.
func TestServicesAndSubscribersHaveTheShapeOfTheAPI(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 34, 56, 123456789, time.FixedZone("", -3*60*60))
	d := domain.ClaimedDelivery{ServiceDetails: domain.ServiceDetails{
		Subscriber: domain.Subscriber{Document: cpf.Document("52998224725"), Name: "Ana", Email: "ana@example.com.br", Phone: "+5511987654321", SpeedID: 38, Plan: "Fibra", CreatedAt: at},
		Service:    domain.Service{ProductID: 25, Status: domain.WaitingSuspension, CreatedAt: at, UpdatedAt: at.Add(time.Hour)},
		Product:    domain.Product{ID: 25, Name: "Play Básico", Code: "play-basic"},
	}}
	const service = `{"token_created_at":"2026-01-31T15:34:56.123456Z","content_supplier_product_name":"Play Básico",` +
		`"content_supplier_product_code":"play-basic","content_supplier_product_id":25,` +
		`"status_updated_at":"2026-01-31T16:34:56.123456Z","status_id":14,"status":"waitingSuspension"}`
	var request struct {
		Data struct{ Service json.RawMessage }
	}
	body, err := encodeOperation(d)
	read(t, body, err, &request)
	wantShape(t, request.Data.Service, service)

	d.ServiceDetails.Service.OtherProductID = 26
	for kind, want := range map[domain.OperationKind]int{domain.ProductChange: 26, domain.Suspension: 0} {
		var request struct{ Data operationData }
		d.ServiceDetails.Service.Kind = kind
		body, err := encodeOperation(d)
		read(t, body, err, &request)
		if got := request.Data.PreviousProductID; got != want {
			t.Errorf("%s: got the previous product %d, want %d", kind, got, want)
		}
	}

	d.Job = domain.Job{ID: 7, CreatedAt: at}
	d.LinkSecret = "secret"
	var callback struct {
		ID, Type  string
		CreatedAt api.Time `json:"created_at"`
		Data      struct {
			Subscriber, Service json.RawMessage
			URL                 string `json:"activation_url"`
		}
	}
	body, err = encodeResentActivation(d, "https://ativa.example.com")
	read(t, body, err, &callback)
	if callback.ID != d.Job.ID.String() || callback.Type != "activation.resent" || callback.CreatedAt.String() != api.At(at).String() || callback.Data.URL != "https://ativa.example.com/activate/secret" {
		t.Errorf("got %s", body)
	}
	wantShape(t, callback.Data.Service, service)
	var subscriber api.Subscriber
	strict := json.NewDecoder(bytes.NewReader(callback.Data.Subscriber))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&subscriber); err != nil {
		t.Errorf("%s: %v", callback.Data.Subscriber, err)
	}
	if s := subscriber; s.Document != "52998224725" || s.InternetSpeedID != 38 || s.CustomerPlan != "Fibra" || !s.CreatedAt.Equal(at.Truncate(time.Microsecond)) {
		t.Errorf("got %+v", s)
	}
}

func read(t *testing.T, body []byte, err error, into any) {
	t.Helper()
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func wantShape(t *testing.T, got json.RawMessage, want string) {
	t.Helper()
	if string(got) != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
