//go:build !unix

package desk

import tea "charm.land/bubbletea/v2"

// suspend does nothing: this system cannot stop a process.
func suspend() tea.Msg { return nil }
