-- +goose Up
-- Where a delivery goes: the partner of its operation, or the provider whose callback
-- it is; 0: the mail server. Each destination is claimed for by itself.
ALTER TABLE job ADD COLUMN destination bigint NOT NULL DEFAULT 0;
-- Since when each attempt was refused for now because of the address; 0: the last was not.
ALTER TABLE job ADD COLUMN refused_since bigint NOT NULL DEFAULT 0;
UPDATE job SET destination = id >> 43 WHERE kind = 2 AND state <> 2;
UPDATE job SET destination = COALESCE((SELECT o.partner_id FROM operation o WHERE o.id = job.operation_id), 0) WHERE kind = 3 AND state <> 2;
DROP INDEX job_open;
DROP INDEX job_urgent;
CREATE INDEX job_open ON job (kind, destination, next_at) WHERE state < 2;
CREATE INDEX job_urgent ON job (kind, destination, next_at) WHERE state < 2 AND urgent;
