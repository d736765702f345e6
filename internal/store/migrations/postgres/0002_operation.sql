-- +goose Up
-- Stored answers are purged by age; their blobs are not read for it.
CREATE INDEX answer_age ON answer (created_at);
-- Deliveries that were given up are few, and counted for the figures.
CREATE INDEX job_dead ON job (kind) WHERE state = 3;
