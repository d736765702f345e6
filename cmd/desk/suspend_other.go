//go:build !unix

package desk

import tea "charm.land/bubbletea/v2"

// handleSuspension does nothing: a process cannot be stopped here.
func handleSuspension(*tea.Program) (stop func()) { return func() {} }

func suspend() tea.Msg { return nil }
