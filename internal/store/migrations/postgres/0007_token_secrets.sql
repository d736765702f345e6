-- +goose Up
-- A rotation counts up the generation of the secret. The one before it, previous_hash,
-- is accepted until previous_ends_at. A bearer token has the generation of the secret
-- that it was made with; -1: not known, of the secret that was in use.
ALTER TABLE access_token ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
ALTER TABLE access_token ADD COLUMN previous_hash BYTEA NOT NULL DEFAULT '';
ALTER TABLE access_token ADD COLUMN previous_ends_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE bearer_token ADD COLUMN generation INTEGER NOT NULL DEFAULT -1;
CREATE INDEX access_token_previous ON access_token (previous_hash) WHERE previous_ends_at > 0;
