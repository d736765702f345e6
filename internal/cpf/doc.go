// Package cpf decides what identifies and reaches a subscriber: what a valid
// Brazilian taxpayer number (CPF), telephone number and e-mail address are, and
// how each is written (decisions.md 7).
//
// It refuses to know where one came from: mending what a spreadsheet did to it
// is csvfile's work, and whether a subscriber exists is the store's.
// Everything here is pure and safe for concurrent use.
package cpf
