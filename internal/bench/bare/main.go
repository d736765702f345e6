// Command bare is the floor of a start-up: a cobra program that does nothing.
package main

import "github.com/spf13/cobra"

func main() {
	c := &cobra.Command{Use: "bare", Run: func(*cobra.Command, []string) {}}
	c.AddCommand(&cobra.Command{Use: "version", Run: func(*cobra.Command, []string) {}})
	cobra.CheckErr(c.Execute())
}
