package cmd

import (
	"ativa/internal/lang"
	"ativa/internal/render"
)

// columnsOf are the columns that a command can print, for completion; a test
// compares with what the command itself says.
func columnsOf(command string) []string {
	switch command {
	case "subscribers list", "subscribers search", "subscribers get", "subscribers create", "subscribers update":
		return names(subscribers(lang.English))
	case "subscribers history":
		return names(events("history", lang.English))
	case "subscribers explain":
		return names(explanations(lang.English))
	case "subscribers speeds":
		return names(speeds())
	case "subscribers resend":
		return names(resent())
	case "provision activate", "provision suspend", "provision deactivate", "provision overdue", "provision settle", "provision change":
		return names(batchResults(lang.English))
	case "products":
		return names(products())
	case "status":
		return names(statuses(lang.English))
	case "events":
		return names(events("events", lang.English))
	case "config list", "config get":
		return names(configRows())
	case "context list":
		return names(contextRows())
	case "auth status":
		return names(sourceRows())
	case "doctor":
		return names(checkRows(lang.English))
	case "subscribers export":
		return names(exported())
	case "subscribers import":
		return names(importSummaries())
	case "imports list", "imports show":
		return names(importEntries())
	case "sync":
		return names(syncActions(lang.English))
	case "version":
		return names(builds())
	}
	return adminColumnsOf(command)
}

func adminColumnsOf(command string) []string {
	switch command {
	case "admin providers list", "admin providers set-limit", "admin providers enable", "admin providers disable":
		return names(providers())
	case "admin providers create":
		return append(names(providers()), "access_token")
	case "admin providers rotate-token":
		return append(names(accessTokens()), "access_token")
	case "admin products list", "admin products create", "admin products update":
		return names(productRows())
	case "admin speeds list", "admin speeds add":
		return names(speedRows())
	case "admin partners list", "admin partners update":
		return names(partners())
	case "admin partners create":
		return append(names(partners()), "secret")
	case "admin partners events":
		return names(partnerEvents())
	case "admin partners replay":
		return names(replays())
	case "admin operations list":
		return names(operations())
	case "admin deliveries list", "admin deliveries retry", "admin callbacks replay":
		return names(deliveries())
	case "admin callbacks set":
		return append(names(callbacks()), "secret")
	case "admin callbacks list", "admin callbacks enable", "admin callbacks disable":
		return names(callbacks())
	case "admin callbacks test":
		return names(callbackTests())
	case "admin check":
		return names(findings())
	case "admin migrate":
		return names(versions())
	case "admin copy":
		return names(copiedTables())
	}
	return nil
}

func names[T any](s render.Schema[T]) []string {
	return mapped(s.Columns, func(c render.Column[T]) string { return c.Name })
}
