// Package domain holds the words of the service: its ids, statuses, errors, providers, products,
// partners, subscribers, services, operations, events, deliveries and tokens, and what follows from
// their fields alone. It decides nothing that depends on anything stored, and does no I/O.
package domain
