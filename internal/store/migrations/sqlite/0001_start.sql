-- +goose Up
CREATE TABLE provider (
	id              INTEGER PRIMARY KEY,
	name            TEXT    NOT NULL UNIQUE,
	active_limit    INTEGER NOT NULL,
	disabled        INTEGER NOT NULL,
	all_products    INTEGER NOT NULL,
	created_at      INTEGER NOT NULL,
	counted         INTEGER NOT NULL DEFAULT 0,
	queued          INTEGER NOT NULL DEFAULT 0,
	last_subscriber INTEGER NOT NULL DEFAULT 0,
	last_operation  INTEGER NOT NULL DEFAULT 0,
	last_event      INTEGER NOT NULL DEFAULT 0,
	last_job        INTEGER NOT NULL DEFAULT 0,
	subscribers     INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE access_token (
	id          INTEGER PRIMARY KEY,
	provider_id INTEGER NOT NULL REFERENCES provider (id),
	hash        BLOB    NOT NULL UNIQUE,
	created_at  INTEGER NOT NULL,
	revoked_at  INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE bearer_token (
	hash            BLOB PRIMARY KEY,
	access_token_id INTEGER NOT NULL REFERENCES access_token (id),
	provider_id     INTEGER NOT NULL,
	expires_at      INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE partner (
	id           INTEGER PRIMARY KEY,
	name         TEXT    NOT NULL UNIQUE,
	driver       TEXT    NOT NULL,
	url          TEXT    NOT NULL,
	delay        INTEGER NOT NULL,
	failure_rate REAL    NOT NULL,
	secret       BLOB    NOT NULL,
	created_at   INTEGER NOT NULL
);

CREATE TABLE product (
	id         INTEGER PRIMARY KEY,
	name       TEXT    NOT NULL,
	code       TEXT    NOT NULL UNIQUE,
	family     TEXT    NOT NULL,
	active     INTEGER NOT NULL,
	can        INTEGER NOT NULL,
	partner_id INTEGER NOT NULL
);

CREATE TABLE product_grant (
	provider_id INTEGER NOT NULL,
	product_id  INTEGER NOT NULL,
	granted     INTEGER NOT NULL,
	PRIMARY KEY (provider_id, product_id)
) WITHOUT ROWID;

CREATE TABLE callback (
	provider_id   INTEGER PRIMARY KEY,
	url           TEXT    NOT NULL,
	secret        BLOB    NOT NULL,
	allow_private INTEGER NOT NULL,
	enabled       INTEGER NOT NULL,
	failures      INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE internet_speed (
	id    INTEGER PRIMARY KEY,
	speed TEXT NOT NULL,
	slug  TEXT NOT NULL
);

CREATE TABLE subscriber (
	id                INTEGER PRIMARY KEY,
	provider_id       INTEGER NOT NULL,
	document          INTEGER NOT NULL,
	name              TEXT    NOT NULL,
	email             TEXT    NOT NULL,
	phone             TEXT    NOT NULL,
	internet_speed_id INTEGER NOT NULL,
	customer_plan     TEXT    NOT NULL,
	created_at        INTEGER NOT NULL
);
CREATE UNIQUE INDEX subscriber_document ON subscriber (provider_id, document);
CREATE INDEX subscriber_provider ON subscriber (provider_id); -- in the order of ids, for pages

CREATE TABLE service (
	id           INTEGER PRIMARY KEY,
	product_id   INTEGER NOT NULL,
	status_id    INTEGER NOT NULL,
	created_at   INTEGER NOT NULL,
	updated_at   INTEGER NOT NULL,
	operation_id INTEGER NOT NULL,
	kind         INTEGER NOT NULL,
	stable_id    INTEGER NOT NULL,
	previous_id  INTEGER NOT NULL,
	deferred     INTEGER NOT NULL,
	link         INTEGER NOT NULL
);
CREATE INDEX service_queue ON service (operation_id) WHERE status_id = 6;

CREATE TABLE operation (
	id         INTEGER PRIMARY KEY,
	service_id INTEGER NOT NULL,
	kind       INTEGER NOT NULL,
	state      INTEGER NOT NULL,
	product_id INTEGER NOT NULL,
	partner_id INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	attempts   INTEGER NOT NULL,
	deadline   INTEGER,
	reason     TEXT    NOT NULL
);
CREATE INDEX operation_deadline ON operation (deadline) WHERE deadline IS NOT NULL;

CREATE TABLE event (
	id            INTEGER PRIMARY KEY,
	at            INTEGER NOT NULL,
	type          INTEGER NOT NULL,
	subscriber_id INTEGER NOT NULL,
	service_id    INTEGER NOT NULL,
	product_id    INTEGER NOT NULL,
	previous_id   INTEGER NOT NULL,
	status_id     INTEGER NOT NULL,
	trigger       TEXT    NOT NULL,
	actor         TEXT    NOT NULL,
	reason        TEXT    NOT NULL,
	operation_id  INTEGER NOT NULL
);
CREATE INDEX event_subscriber ON event (subscriber_id);

CREATE TABLE job (
	id           INTEGER PRIMARY KEY,
	kind         INTEGER NOT NULL,
	service_id   INTEGER NOT NULL,
	operation_id INTEGER NOT NULL,
	link         INTEGER NOT NULL,
	state        INTEGER NOT NULL,
	attempts     INTEGER NOT NULL,
	created_at   INTEGER NOT NULL,
	next_at      INTEGER NOT NULL,
	last_error   TEXT    NOT NULL
);
CREATE INDEX job_open ON job (kind, next_at) WHERE state < 2;

CREATE TABLE link (
	hash       BLOB PRIMARY KEY,
	service_id INTEGER NOT NULL,
	link       INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	used_at    INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TABLE answer (
	provider_id INTEGER NOT NULL,
	key         BLOB    NOT NULL,
	fingerprint BLOB    NOT NULL,
	answer      BLOB    NOT NULL,
	created_at  INTEGER NOT NULL,
	PRIMARY KEY (provider_id, key)
) WITHOUT ROWID;

CREATE TABLE report (
	partner_id   INTEGER NOT NULL,
	id           TEXT    NOT NULL,
	operation_id INTEGER NOT NULL,
	kind         TEXT    NOT NULL,
	confirmed    INTEGER NOT NULL,
	reason       TEXT    NOT NULL,
	received_at  INTEGER NOT NULL,
	state        INTEGER NOT NULL,
	PRIMARY KEY (partner_id, id)
);

INSERT INTO internet_speed (id, speed, slug)
WITH RECURSIVE n (id, mbps) AS (
	SELECT 1, 10
	UNION ALL
	SELECT id + 1, CASE WHEN id < 20 THEN mbps + 10 ELSE mbps + 50 END FROM n WHERE id < 36
)
SELECT id, mbps || ' Mbps', mbps || '-mbps' FROM n
UNION ALL SELECT 37, '5 Mbps', '5-mbps'
UNION ALL SELECT 38, 'Não informado', 'Não informado';
