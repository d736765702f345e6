-- +goose Up
-- When a service was enabled with a product (decisions.md 14), and the events with
-- which that began and ended; NULL while it lasts.
CREATE TABLE enabled_interval (
	service_id  INTEGER NOT NULL,
	begin_event INTEGER NOT NULL,
	product_id  INTEGER NOT NULL,
	begin_at    INTEGER NOT NULL,
	end_event   INTEGER,
	end_at      INTEGER,
	PRIMARY KEY (service_id, begin_event)
) WITHOUT ROWID;
-- The beginnings and ends in the order of the events, for the peak.
CREATE INDEX enabled_interval_begin ON enabled_interval (begin_event, product_id, begin_at);
CREATE INDEX enabled_interval_end ON enabled_interval (end_event, product_id, end_at) WHERE end_event IS NOT NULL;
