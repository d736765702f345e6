-- +goose Up
-- How a provider appears to its subscribers; empty: as without a brand.
CREATE TABLE brand (
	provider_id  BIGINT PRIMARY KEY,
	display_name TEXT NOT NULL,
	logo         BYTEA NOT NULL,
	color        TEXT NOT NULL,
	phone        TEXT NOT NULL
);
