package outbox

import (
	"encoding/json"
	"time"

	"ativa/internal/service/domain"
)

// The types below are the bodies of decisions.md 10, Shapes of the extensions. They are separate
// from the types of package api, which serve its clients and may change with them. A test fails if
// they differ.

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

// personBody is the part of a subscriber that partners receive.
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

// serviceBody is a service as the API writes it.
type serviceBody struct {
	TokenCreatedAt  string `json:"token_created_at"`
	ProductName     string `json:"content_supplier_product_name"`
	ProductCode     string `json:"content_supplier_product_code"`
	ProductID       int    `json:"content_supplier_product_id"`
	StatusUpdatedAt string `json:"status_updated_at"`
	StatusID        int    `json:"status_id"`
	Status          string `json:"status"`
}

func newPersonBody(s domain.Subscriber) personBody {
	return personBody{Name: s.Name, Email: s.Email, Document: string(s.Document), Phone: s.Phone}
}

func newServiceBody(s domain.ServiceDetails) serviceBody {
	return serviceBody{
		TokenCreatedAt: formatTime(s.Service.CreatedAt), ProductName: s.Product.Name, ProductCode: s.Product.Code, ProductID: s.Service.ProductID,
		StatusUpdatedAt: formatTime(s.Service.UpdatedAt), StatusID: int(s.Service.Status), Status: s.Service.Status.String(),
	}
}

// encodeOperation returns the body of a request to a partner. It is the same for
// every attempt.
func encodeOperation(d domain.ClaimedDelivery) ([]byte, error) {
	data := operationData{Subscriber: newPersonBody(d.Subscriber), Service: newServiceBody(d.ServiceDetails)}
	if d.ServiceDetails.Service.Kind == domain.ProductChange {
		data.PreviousProductID = d.ServiceDetails.Service.OtherProductID
	}
	return json.Marshal(operationBody{
		Type: "service." + d.ServiceDetails.Service.Kind.String() + ".requested", Operation: d.Job.Operation.String(),
		OccurredAt: formatTime(d.ServiceDetails.Service.UpdatedAt), Data: data,
	})
}

// encodeResentActivation returns the body of a callback. Each attempt has a different activation
// URL, and all of them are valid.
func encodeResentActivation(d domain.ClaimedDelivery, publicURL string) ([]byte, error) {
	return json.Marshal(callbackBody{
		ID: d.Job.ID.String(), Type: "activation.resent", CreatedAt: formatTime(d.Job.CreatedAt),
		Data: callbackData{
			Subscriber: subscriberBody{personBody: newPersonBody(d.Subscriber), InternetSpeedID: d.Subscriber.SpeedID,
				CustomerPlan: d.Subscriber.Plan, CreatedAt: formatTime(d.Subscriber.CreatedAt)},
			Service: newServiceBody(d.ServiceDetails), ActivationURL: activationURL(publicURL, d.LinkSecret),
		},
	})
}

func activationURL(public, secret string) string { return public + "/activate/" + secret }

// formatTime formats a time as the API does.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }
