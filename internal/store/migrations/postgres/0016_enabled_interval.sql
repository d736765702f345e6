-- +goose Up
-- When a service was enabled with a product (decisions.md 14), and the events with
-- which that began and ended; NULL while it lasts.
CREATE TABLE enabled_interval (
	service_id  BIGINT NOT NULL,
	begin_event BIGINT NOT NULL,
	product_id  BIGINT NOT NULL,
	begin_at    BIGINT NOT NULL,
	end_event   BIGINT,
	end_at      BIGINT,
	PRIMARY KEY (service_id, begin_event)
);
-- The beginnings and ends in the order of the events, for the peak.
CREATE INDEX enabled_interval_begin ON enabled_interval (begin_event, product_id, begin_at);
CREATE INDEX enabled_interval_end ON enabled_interval (end_event, product_id, end_at) WHERE end_event IS NOT NULL;
