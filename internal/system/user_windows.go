package system

import (
	"os"

	"golang.org/x/sys/windows"
)

// Locale returns the language that the user has chosen for the system, such as pt-BR; empty if
// only the environment defines it.
func Locale() string {
	languages, err := windows.GetUserPreferredUILanguages(windows.MUI_LANGUAGE_NAME)
	if err != nil || len(languages) == 0 {
		return ""
	}
	return languages[0]
}

// TakesColours reports whether a terminal understands the escape sequences of colours, and enables
// them if necessary. Consoles before Windows 10 do not.
func TakesColours(f *os.File) bool {
	var mode uint32
	h := windows.Handle(f.Fd())
	return windows.GetConsoleMode(h, &mode) == nil &&
		(mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 || windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil)
}
