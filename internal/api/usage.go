package api

// Usage is what was enabled in a period (decisions.md 14). The period is whole days
// of the time zone, both included.
type Usage struct {
	From string `json:"from"` // as 2026-11-01
	To   string `json:"to"`
	TZ   string `json:"tz"` // the IANA name
	// Complete is false when retention has cut events that the numbers need.
	Complete    bool               `json:"complete"`
	EventsSince Time               `json:"events_since"` // the oldest event that is kept; zero: there is none
	Products    List[ProductUsage] `json:"products"`     // those that were enabled in the period, by id
}

// ProductUsage is the usage of one product.
type ProductUsage struct {
	ProductID      Int    `json:"content_supplier_product_id"`
	Name           string `json:"name"`
	Code           string `json:"code"`
	EnabledAtStart Int    `json:"enabled_at_start"`
	Activated      Int    `json:"activated"` // how often being enabled began
	Ended          Int    `json:"ended"`     // and ended
	EnabledAtEnd   Int    `json:"enabled_at_end"`
	PeakEnabled    Int    `json:"peak_enabled"` // the most at the same time
	EnabledDays    Int    `json:"enabled_days"` // the sum of the days of each token
}

// TokenUsage is the usage of one token with one product.
type TokenUsage struct {
	Document       NullableString `json:"document"` // empty once the subscriber is deleted
	ProductID      Int            `json:"content_supplier_product_id"`
	TokenCreatedAt Time           `json:"token_created_at"`
	// FirstEnabledAt and LastEnabledAt are the first and the last moment of being
	// enabled within the period. LastEnabledAt is zero if the token still is at the
	// end of the period, or now if that has not come.
	FirstEnabledAt Time   `json:"first_enabled_at"`
	LastEnabledAt  Time   `json:"last_enabled_at"`
	EnabledDays    Int    `json:"enabled_days"` // on how many days it was enabled at any moment
	Status         string `json:"status"`       // the present one
}

// UsageResponse is the usage, with that of each token when it was asked for.
type UsageResponse struct {
	Usage
	Tokens   List[TokenUsage] `json:"tokens,omitempty"`
	Response string           `json:"response"`
}
