// Package cpf decides what a valid Brazilian taxpayer number (CPF) and a valid
// telephone number are, and how each is written (decisions.md 7).
//
// It refuses to know where a number came from: mending what a spreadsheet did
// to one is csvfile's work, and whether a subscriber exists is the store's.
// Everything here is pure and safe for concurrent use.
package cpf
