-- +goose Up
-- How a provider appears to its subscribers; empty: as without a brand.
CREATE TABLE brand (
	provider_id  INTEGER PRIMARY KEY,
	display_name TEXT NOT NULL,
	logo         BLOB NOT NULL,
	color        TEXT NOT NULL,
	phone        TEXT NOT NULL
);
