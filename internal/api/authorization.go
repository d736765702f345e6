package api

// AuthenticateRequest is the body of POST /authenticate.
type AuthenticateRequest struct {
	AccessToken string `json:"access_token"`
}

// Authorization is a bearer token.
type Authorization struct {
	// Token is sent in the Authorization header after "Bearer ".
	Token string `json:"token"`
	// Type is TypeBearer.
	Type string `json:"type"`
	// ExpiresIn is the lifetime in seconds.
	ExpiresIn Int `json:"expires_in"`
}

// AuthenticateResponse is the response of POST /authenticate.
type AuthenticateResponse struct {
	Authorization Authorization `json:"authorization"`
	Response      string        `json:"response"`
}

// TypeBearer is the Type of every Authorization.
const TypeBearer = "bearer"
