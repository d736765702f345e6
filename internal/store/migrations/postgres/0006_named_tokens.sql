-- +goose Up
-- Access tokens have a name, scopes and an end. Servers of the version before add
-- tokens without a name.
ALTER TABLE access_token ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE access_token ADD COLUMN scopes INTEGER NOT NULL DEFAULT 31; -- all of them
ALTER TABLE access_token ADD COLUMN expires_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE access_token ADD COLUMN last_used_at BIGINT NOT NULL DEFAULT 0;

-- Tokens that have ended get a name too that no other token will have.
UPDATE access_token SET name = 'revoked-' || id WHERE revoked_at <> 0;
UPDATE access_token SET name = (
	SELECT CASE COUNT(*) WHEN 0 THEN 'default' ELSE 'default-' || (COUNT(*) + 1) END
	FROM access_token newer
	WHERE newer.provider_id = access_token.provider_id AND newer.revoked_at = 0 AND newer.id > access_token.id
) WHERE revoked_at = 0;
CREATE UNIQUE INDEX access_token_name ON access_token (provider_id, name) WHERE name <> '';

-- The access token that an event was caused with; 0: by somebody else than the
-- provider, or before tokens had names. And the product that the event replaced.
ALTER TABLE event ADD COLUMN token_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE event ADD COLUMN previous_product_id BIGINT NOT NULL DEFAULT 0;
