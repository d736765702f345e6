-- +goose Up
-- How many ids of subscribers are missing in each block of 1,024 of them that
-- lacks any, so that a page is found without counting all that come before it.
-- The program fills it for what is there already.
CREATE TABLE subscriber_gap (
	block   INTEGER PRIMARY KEY,
	missing INTEGER NOT NULL
);
