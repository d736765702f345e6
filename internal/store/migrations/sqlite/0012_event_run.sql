-- +goose Up
-- A row may stand for a run of several events: those of subscribers that an import
-- created one after the other. It has the id of the last.
ALTER TABLE event ADD COLUMN events INTEGER NOT NULL DEFAULT 1;
ALTER TABLE event ADD COLUMN run BLOB NOT NULL DEFAULT x'';
CREATE INDEX event_run ON event (subscriber_id) WHERE events > 1;
