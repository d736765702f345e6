package provision

import "context"

// Priority says which writes go before others.
type Priority int

// The priorities. A write of many elements is Large and is done in parts where
// others wait; what no person waits for is Background. All others are Small.
const (
	PrioritySmall Priority = iota
	PriorityLarge
	PriorityBackground
)

type priorityKey struct{}

// WithPriority gives the writes of a context their priority.
func WithPriority(ctx context.Context, p Priority) context.Context {
	return context.WithValue(ctx, priorityKey{}, p)
}

// PriorityFrom returns the priority of the writes of a context.
func PriorityFrom(ctx context.Context) Priority {
	p, _ := ctx.Value(priorityKey{}).(Priority)
	return p
}
