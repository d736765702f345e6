-- +goose Up
-- Somebody waits for this delivery: it goes before those of imports and batches.
ALTER TABLE job ADD COLUMN urgent INTEGER NOT NULL DEFAULT 0;
CREATE INDEX job_urgent ON job (kind, next_at) WHERE state < 2 AND urgent;
