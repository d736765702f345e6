-- +goose Up
-- A row may stand for a run of several events: those of subscribers that an import
-- created one after the other. It has the id of the last.
ALTER TABLE event ADD COLUMN events INTEGER NOT NULL DEFAULT 1;
ALTER TABLE event ADD COLUMN run BYTEA NOT NULL DEFAULT '';
CREATE INDEX event_run ON event (subscriber_id) WHERE events > 1;
-- Runs are written when this is true of all providers. A server of the version before
-- would not see the events; none is at work yet where there is no provider.
ALTER TABLE provider ADD COLUMN event_runs BOOLEAN NOT NULL DEFAULT FALSE;
-- +goose StatementBegin
DO $$
BEGIN
	IF NOT EXISTS (SELECT 1 FROM provider) THEN
		ALTER TABLE provider ALTER COLUMN event_runs SET DEFAULT TRUE;
	END IF;
END
$$;
-- +goose StatementEnd
