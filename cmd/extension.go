package cmd

import (
	"context"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
)

// needsExtension returns an error with the message if the server lacks an extension.
func needsExtension(ctx context.Context, c *client.Client, extension string, message cli.Message) error {
	has, err := c.HasExtension(ctx, extension)
	if err != nil || has {
		return err
	}
	return notSupported(message, cli.Msg("it has only the basic API; `ativa subscribers list` shows the present state"))
}

func needsSchedules(ctx context.Context, c *client.Client) error {
	return needsExtension(ctx, c, api.ExtSchedule, cli.Msg("this server has no schedules; nothing was sent"))
}

// notSupported returns the error for a missing server feature.
func notSupported(message, hint cli.Message) *cli.Failure {
	return &cli.Failure{Exit: cli.ExitRefused, Code: "not_supported", Message: message, Hint: hint}
}
