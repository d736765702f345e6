-- +goose Up
-- Where the event feed of a provider is pushed to, and how far it has come.
-- Nothing else is written for what is pushed.
CREATE TABLE feed_callback (
	provider_id     INTEGER PRIMARY KEY,
	url             TEXT    NOT NULL,
	secret          BLOB    NOT NULL,
	allow_private   INTEGER NOT NULL,
	enabled         INTEGER NOT NULL,
	failures        INTEGER NOT NULL,
	generation      INTEGER NOT NULL,
	cursor          INTEGER NOT NULL,
	batch_end       INTEGER NOT NULL,
	next_attempt_at INTEGER NOT NULL,
	leased_until    INTEGER NOT NULL,
	last_error      TEXT    NOT NULL
);
