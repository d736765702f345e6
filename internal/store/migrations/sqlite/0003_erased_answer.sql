-- +goose Up
-- A stored answer that tells of one subscriber is erased with it; 0: of none, or of several.
ALTER TABLE answer ADD COLUMN subscriber_id INTEGER NOT NULL DEFAULT 0;
CREATE INDEX answer_subscriber ON answer (subscriber_id) WHERE subscriber_id > 0;
