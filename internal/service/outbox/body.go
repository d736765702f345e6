package outbox

import (
	"encoding/json"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// The types below are the bodies of decisions.md 10, Shapes of the extensions. A service and a time
// are written as the API writes them.

type operationBody struct {
	Type       string        `json:"type"`
	Operation  string        `json:"operation_id"`
	OccurredAt api.Time      `json:"occurred_at"`
	Data       operationData `json:"data"`
}

type operationData struct {
	Subscriber        personBody  `json:"subscriber"`
	Service           api.Service `json:"service"`
	PreviousProductID int         `json:"previous_product_id,omitempty"`
}

type callbackBody struct {
	ID        string   `json:"id"`
	Type      string   `json:"type"`
	CreatedAt api.Time `json:"created_at"`
	Data      any      `json:"data"`
}

type callbackData struct {
	Subscriber    subscriberBody `json:"subscriber"`
	Service       api.Service    `json:"service"`
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
	InternetSpeedID int      `json:"internet_speed_id"`
	CustomerPlan    string   `json:"customer_plan"`
	CreatedAt       api.Time `json:"created_at"`
}

func newPersonBody(s domain.Subscriber) personBody {
	return personBody{Name: s.Name, Email: s.Email, Document: string(s.Document), Phone: s.Phone}
}

func newService(s domain.ServiceDetails) api.Service {
	return api.Service{
		TokenCreatedAt: api.At(s.Service.CreatedAt), ProductName: s.Product.Name, ProductCode: s.Product.Code, ProductID: api.Int(s.Service.ProductID),
		StatusUpdatedAt: api.At(s.Service.UpdatedAt), StatusID: api.Int(s.Service.Status), Status: s.Service.Status.String(),
	}
}

// encodeOperation returns the body of a request to a partner. It is the same for every attempt, unless the
// subscriber changes or completes the activation meanwhile.
func encodeOperation(d domain.ClaimedDelivery) ([]byte, error) {
	data := operationData{Subscriber: newPersonBody(d.Subscriber), Service: newService(d.ServiceDetails)}
	if d.ServiceDetails.Service.Kind == domain.ProductChange {
		data.PreviousProductID = d.ServiceDetails.Service.PreviousProductID
	}
	return json.Marshal(operationBody{
		Type: "service." + d.ServiceDetails.Service.Kind.String() + ".requested", Operation: d.Delivery.Operation.String(),
		OccurredAt: api.At(d.ServiceDetails.Service.UpdatedAt), Data: data,
	})
}

// encodeResentActivation returns the body of a callback. Each attempt has a different activation
// URL, and all of them are valid.
func encodeResentActivation(d domain.ClaimedDelivery, publicURL string) ([]byte, error) {
	return json.Marshal(callbackBody{
		ID: d.Delivery.ID.String(), Type: "activation.resent", CreatedAt: api.At(d.Delivery.CreatedAt),
		Data: callbackData{
			Subscriber: subscriberBody{personBody: newPersonBody(d.Subscriber), InternetSpeedID: d.Subscriber.SpeedID,
				CustomerPlan: d.Subscriber.Plan, CreatedAt: api.At(d.Subscriber.CreatedAt)},
			Service: newService(d.ServiceDetails), ActivationURL: activationURL(publicURL, d.LinkSecret),
		},
	})
}

func activationURL(public, secret string) string { return public + "/activate/" + secret }
