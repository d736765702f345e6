// Package delivery decides how what the outbox owes reaches the outside: the
// subscriber's mail box, the partner, the provider's callback; how often it is
// tried again, and when it is given up. It refuses to know why a delivery is
// owed and what it does to a service: package provision decides that.
package delivery
