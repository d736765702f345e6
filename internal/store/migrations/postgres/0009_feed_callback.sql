-- +goose Up
-- Where the event feed of a provider is pushed to, and how far it has come.
-- Nothing else is written for what is pushed.
CREATE TABLE feed_callback (
	provider_id     BIGINT  PRIMARY KEY,
	url             TEXT    NOT NULL,
	secret          BYTEA   NOT NULL,
	allow_private   BOOLEAN NOT NULL,
	enabled         BOOLEAN NOT NULL,
	failures        BIGINT  NOT NULL,
	generation      BIGINT  NOT NULL,
	cursor          BIGINT  NOT NULL,
	batch_end       BIGINT  NOT NULL,
	next_attempt_at BIGINT  NOT NULL,
	leased_until    BIGINT  NOT NULL,
	last_error      TEXT    NOT NULL
);
