//go:build !unix

package desk

import tea "charm.land/bubbletea/v2"

// suspend does nothing: a process cannot be stopped here.
func suspend() tea.Msg { return nil }
