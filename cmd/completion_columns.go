package cmd

import (
	"ativa/internal/cli"
	"ativa/internal/lang"
)

// columnsOf are the columns that a command can print, for completion; a test
// compares with what the command itself says.
func columnsOf(command string) []string {
	switch command {
	case "subscribers list", "subscribers search", "subscribers get", "subscribers create", "subscribers update":
		return cli.Names(subscribers(lang.English))
	case "subscribers history":
		return cli.Names(events("history", lang.English))
	case "subscribers explain":
		return cli.Names(explanations(lang.English))
	case "subscribers speeds":
		return cli.Names(speeds())
	case "subscribers resend":
		return cli.Names(resent())
	case "provision activate", "provision suspend", "provision deactivate", "provision overdue", "provision settle", "provision change":
		return cli.Names(batchResults(lang.English))
	case "products":
		return cli.Names(products())
	case "status":
		return cli.Names(statuses(lang.English))
	case "events":
		return cli.Names(events("events", lang.English))
	case "config list", "config get":
		return cli.Names(configRows())
	case "context list":
		return cli.Names(contextRows())
	case "auth status":
		return cli.Names(sourceRows())
	case "doctor":
		return cli.Names(checkRows(lang.English))
	case "subscribers export":
		return cli.Names(exported())
	case "subscribers import":
		return cli.Names(importSummaries())
	case "imports list", "imports show":
		return cli.Names(importEntries())
	case "sync":
		return cli.Names(syncActions(lang.English))
	case "version":
		return cli.Names(builds())
	}
	return operatorColumns(command)
}
