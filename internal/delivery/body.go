package delivery

import (
	"encoding/json"
	"time"

	"ativa/internal/provision"
)

// The bodies of decisions.md 10, Shapes of the extensions. The API's own types
// serve clients and may move with them; what partners were promised stays here,
// and a test tells when the two part.

type operationBody struct {
	Type       string        `json:"type"`
	Operation  string        `json:"operation_id"`
	OccurredAt string        `json:"occurred_at"`
	Data       operationData `json:"data"`
}

type operationData struct {
	Subscriber        personBody  `json:"subscriber"`
	Service           serviceBody `json:"service"`
	PreviousProductID int         `json:"previous_product_id,omitempty"`
}

type callbackBody struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	CreatedAt string `json:"created_at"`
	Data      any    `json:"data"`
}

type callbackData struct {
	Subscriber    subscriberBody `json:"subscriber"`
	Service       serviceBody    `json:"service"`
	ActivationURL string         `json:"activation_url"`
}

// personBody is what a partner may know of a subscriber.
type personBody struct {
	Name     string `json:"name"`
	Email    string `json:"email"`
	Document string `json:"document"`
	Phone    string `json:"phone"`
}

type subscriberBody struct {
	personBody
	InternetSpeedID int    `json:"internet_speed_id"`
	CustomerPlan    string `json:"customer_plan"`
	CreatedAt       string `json:"created_at"`
}

// serviceBody is a service entry of the API.
type serviceBody struct {
	TokenCreatedAt  string `json:"token_created_at"`
	ProductName     string `json:"content_supplier_product_name"`
	ProductCode     string `json:"content_supplier_product_code"`
	ProductID       int    `json:"content_supplier_product_id"`
	StatusUpdatedAt string `json:"status_updated_at"`
	StatusID        int    `json:"status_id"`
	Status          string `json:"status"`
}

func newPersonBody(s provision.Subscriber) personBody {
	return personBody{Name: s.Name, Email: s.Email, Document: string(s.Document), Phone: s.Phone}
}

func newServiceBody(s provision.Subject) serviceBody {
	return serviceBody{
		TokenCreatedAt: formatTime(s.Service.CreatedAt), ProductName: s.Product.Name, ProductCode: s.Product.Code, ProductID: s.Service.ProductID,
		StatusUpdatedAt: formatTime(s.Service.UpdatedAt), StatusID: int(s.Service.Status), Status: s.Service.Status.String(),
	}
}

// encodeOperation is what a partner is asked. It is the same for every attempt.
func encodeOperation(e provision.Errand) ([]byte, error) {
	data := operationData{Subscriber: newPersonBody(e.Subscriber), Service: newServiceBody(e.Subject)}
	if e.Subject.Service.Kind == provision.ProductChange {
		data.PreviousProductID = e.Subject.Service.Previous
	}
	return json.Marshal(operationBody{
		Type: "service." + e.Subject.Service.Kind.String() + ".requested", Operation: e.Job.Operation.String(),
		OccurredAt: formatTime(e.Subject.Service.UpdatedAt), Data: data,
	})
}

// encodeResentActivation is what a callback tells. Its activation URL is another for
// every attempt, and each is good.
func encodeResentActivation(e provision.Errand, publicURL string) ([]byte, error) {
	return json.Marshal(callbackBody{
		ID: e.Job.ID.String(), Type: "activation.resent", CreatedAt: formatTime(e.Job.CreatedAt),
		Data: callbackData{
			Subscriber: subscriberBody{personBody: newPersonBody(e.Subscriber), InternetSpeedID: e.Subscriber.SpeedID,
				CustomerPlan: e.Subscriber.Plan, CreatedAt: formatTime(e.Subscriber.CreatedAt)},
			Service: newServiceBody(e.Subject), ActivationURL: activationURL(publicURL, e.LinkSecret),
		},
	})
}

func activationURL(public, secret string) string { return public + "/activate/" + secret }

// formatTime is a time as the API writes it.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// encodeCallbackTest is what the operator's test of a callback posts.
func encodeCallbackTest(id string, now time.Time) ([]byte, error) {
	return json.Marshal(callbackBody{ID: id, Type: "callback.test", CreatedAt: formatTime(now), Data: struct{}{}})
}
