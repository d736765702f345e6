package outbox

import (
	"testing"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// Messages have the shapes of decisions.md 10, with services and subscribers as in the API.
func TestMessagesHaveTheShapesOfTheSpecification(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 34, 56, 123456789, time.FixedZone("", -3*60*60))
	d := domain.ClaimedDelivery{Delivery: domain.Delivery{ID: 7, Operation: 8, CreatedAt: at}, LinkSecret: "secret", ServiceDetails: domain.ServiceDetails{
		Subscriber: domain.Subscriber{Document: cpf.Document("52998224725"), Name: "Ana", Email: "ana@example.com.br", Phone: "+5511987654321", SpeedID: 38, Plan: "Fibra", CreatedAt: at},
		Service:    domain.Service{ProductID: 25, PreviousProductID: 26, Status: domain.WaitingSuspension, Kind: domain.Suspension, CreatedAt: at, UpdatedAt: at.Add(time.Hour)},
		Product:    domain.Product{ID: 25, Name: "Play Básico", Code: "play-basic"},
	}}
	const person = `{"name":"Ana","email":"ana@example.com.br","document":"52998224725","phone":"+5511987654321"`
	const service = `"service":{"token_created_at":"2026-01-31T15:34:56.123456Z","content_supplier_product_name":"Play Básico",` +
		`"content_supplier_product_code":"play-basic","content_supplier_product_id":25,` +
		`"status_updated_at":"2026-01-31T16:34:56.123456Z","status_id":14,"status":"waitingSuspension"}`
	want := func(body []byte, err error, want string) {
		t.Helper()
		if err != nil || string(body) != want {
			t.Errorf("got %s, %v\nwant %s", body, err, want)
		}
	}
	operation := func(kind string) string {
		return `{"type":"service.` + kind + `.requested","operation_id":"` + d.Delivery.Operation.String() + `","occurred_at":"2026-01-31T16:34:56.123456Z","data":{"subscriber":` + person + `},` + service
	}
	body, err := encodeOperation(d)
	want(body, err, operation("suspension")+`}}`)
	d.ServiceDetails.Service.Kind = domain.ProductChange
	body, err = encodeOperation(d)
	want(body, err, operation("change")+`,"previous_product_id":26}}`)
	body, err = encodeResentActivation(d, "https://ativa.example.com")
	want(body, err, `{"id":"`+d.Delivery.ID.String()+`","type":"activation.resent","created_at":"2026-01-31T15:34:56.123456Z","data":{"subscriber":`+person+
		`,"internet_speed_id":38,"customer_plan":"Fibra","created_at":"2026-01-31T15:34:56.123456Z"},`+service+`,"activation_url":"https://ativa.example.com/activate/secret"}}`)
}
