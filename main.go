// Command ativa provisions content services for the subscribers of internet
// providers: the command line and the service behind it.
package main

import (
	"os"

	"ativa/cmd"
)

func main() { os.Exit(cmd.Main()) }
