// Package cpf decides what a valid Brazilian taxpayer number (CPF), telephone
// number and e-mail address are, and how each is written, and which names are
// blank (decisions.md 7).
//
// It refuses to know where one came from: package sheet normalizes what a
// spreadsheet changed, and the store knows which subscribers exist. All
// functions are pure and safe for concurrent use.
package cpf
