// Package accounts keeps what the operator and the providers configure: providers, their access
// tokens, brands and callbacks, products, partners, internet speeds, and the operator's record. It
// decides what is valid and who is let in. It does not know what happens to a service.
package accounts
