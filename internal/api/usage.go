package api

// Usage is the enabled services of a period (decisions.md 14). The period is whole days of the time
// zone, both included.
type Usage struct {
	From string `json:"from"` // such as 2026-11-01
	To   string `json:"to"`
	TZ   string `json:"tz"` // the IANA name
	// Complete is false if retention has deleted events that the numbers depend on.
	Complete    bool               `json:"complete"`
	EventsSince Time               `json:"events_since"` // time of the oldest stored event; zero: there is none
	Products    List[ProductUsage] `json:"products"`     // products that were enabled in the period, by id
}

// ProductUsage is the usage of one product.
type ProductUsage struct {
	ProductID      Int    `json:"content_supplier_product_id"`
	Name           string `json:"name"`
	Code           string `json:"code"`
	EnabledAtStart Int    `json:"enabled_at_start"`
	Activated      Int    `json:"activated"` // number of times a service became enabled
	Ended          Int    `json:"ended"`     // number of times one ceased to be enabled
	EnabledAtEnd   Int    `json:"enabled_at_end"`
	PeakEnabled    Int    `json:"peak_enabled"` // most enabled services at the same time
	EnabledDays    Int    `json:"enabled_days"` // sum of the days of all tokens
}

// TokenUsage is the usage of one token with one product.
type TokenUsage struct {
	Document       NullableString `json:"document"` // empty once the subscriber is deleted
	ProductID      Int            `json:"content_supplier_product_id"`
	TokenCreatedAt Time           `json:"token_created_at"`
	// FirstEnabledAt and LastEnabledAt are the first and the last moment within the period at
	// which the token was enabled. LastEnabledAt is zero if the token is still enabled at the end
	// of the period, or now if the period has not ended.
	FirstEnabledAt Time   `json:"first_enabled_at"`
	LastEnabledAt  Time   `json:"last_enabled_at"`
	EnabledDays    Int    `json:"enabled_days"` // number of days on which it was enabled at any moment
	Status         string `json:"status"`       // current status
}

// UsageResponse is the usage, with the usage of each token if it was requested.
type UsageResponse struct {
	Usage
	Tokens   List[TokenUsage] `json:"tokens,omitempty"`
	Response string           `json:"response"`
}
