package api

// Page is the response of any list with `paginate=S`.
type Page[T any] struct {
	Data     List[T] `json:"data"`
	Links    Links   `json:"links"`
	Meta     Meta    `json:"meta"`
	Response string  `json:"response"`         // ResponseSuccess
	Message  string  `json:"message,omitzero"` // same as Response; set only for products
}

// Links are the URLs of pages; Prev and Next are null at the ends.
type Links struct {
	First string  `json:"first"`
	Last  string  `json:"last"`
	Prev  *string `json:"prev"`
	Next  *string `json:"next"`
}

// Meta holds the numbers of pages and elements. Pages count from 1; an empty list has one.
type Meta struct {
	CurrentPage Int `json:"current_page"`
	LastPage    Int `json:"last_page"`
	PerPage     Int `json:"per_page"`
	Total       Int `json:"total"`
}
