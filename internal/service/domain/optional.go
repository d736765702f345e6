package domain

// Optional is a field that may be absent or null.
type Optional[T any] struct {
	Value     T    // zero if absent or null
	Set, Null bool // Null implies Set
}

// Some returns a field with a value.
func Some[T any](v T) Optional[T] { return Optional[T]{Value: v, Set: true} }
