-- +goose Up
-- What became of each delivery: when it was last attempted, and when its link was
-- first opened; 0: never.
ALTER TABLE job ADD COLUMN attempted_at bigint NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN opened_at bigint NOT NULL DEFAULT 0;
-- The delivery that carried the link; 0: it is from before this column.
ALTER TABLE link ADD COLUMN job_id bigint NOT NULL DEFAULT 0;
-- The deliveries of a subscriber, whose services are one range of ids.
CREATE INDEX job_service ON job (service_id);
