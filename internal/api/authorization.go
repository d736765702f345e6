package api

// AuthenticateRequest is the body of POST /authenticate.
type AuthenticateRequest struct {
	AccessToken string `json:"access_token"`
}

// Authorization is a bearer token.
type Authorization struct {
	// Token goes into the Authorization header after "Bearer ".
	Token string `json:"token"`
	// Type is always "bearer".
	Type string `json:"type"`
	// ExpiresIn is the validity in seconds from the response on.
	ExpiresIn Int `json:"expires_in"`
}

// AuthenticateResponse responds to POST /authenticate.
type AuthenticateResponse struct {
	Authorization Authorization `json:"authorization"`
	Response      string        `json:"response"`
}

// TypeBearer is the Type of every Authorization.
const TypeBearer = "bearer"
