// Command bare is the least that cobra can do: what start-up is measured by.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "bare", Short: "Nothing"}
	root.AddCommand(&cobra.Command{Use: "version", Short: "Print the version", Run: func(*cobra.Command, []string) { fmt.Println("bare") }})
	if root.Execute() != nil {
		os.Exit(1)
	}
}
