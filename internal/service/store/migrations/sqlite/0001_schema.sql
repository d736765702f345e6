-- +goose Up
CREATE TABLE provider (
	id              INTEGER PRIMARY KEY,
	name            TEXT    NOT NULL UNIQUE,
	active_limit    INTEGER NOT NULL,
	disabled        INTEGER NOT NULL,
	all_products    INTEGER NOT NULL,
	created_at      INTEGER NOT NULL,
	active_tokens   INTEGER NOT NULL DEFAULT 0,
	queued          INTEGER NOT NULL DEFAULT 0,
	last_subscriber INTEGER NOT NULL DEFAULT 0,
	last_operation  INTEGER NOT NULL DEFAULT 0,
	last_event      INTEGER NOT NULL DEFAULT 0,
	last_delivery        INTEGER NOT NULL DEFAULT 0,
	last_schedule   INTEGER NOT NULL DEFAULT 0,
	subscribers     INTEGER NOT NULL DEFAULT 0
);

-- A rotation counts up the generation of the secret. The one before it, previous_hash,
-- is accepted until previous_ends_at. Times of 0 are never.
CREATE TABLE access_token (
	id               INTEGER PRIMARY KEY,
	provider_id      INTEGER NOT NULL REFERENCES provider (id),
	name             TEXT    NOT NULL,
	scopes           INTEGER NOT NULL,
	hash             BLOB    NOT NULL UNIQUE,
	generation       INTEGER NOT NULL DEFAULT 0,
	previous_hash    BLOB    NOT NULL DEFAULT x'',
	previous_ends_at INTEGER NOT NULL DEFAULT 0,
	created_at       INTEGER NOT NULL,
	expires_at       INTEGER NOT NULL,
	last_used_at     INTEGER NOT NULL DEFAULT 0,
	revoked_at       INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX access_token_name ON access_token (provider_id, name);
CREATE INDEX access_token_previous ON access_token (previous_hash) WHERE previous_ends_at > 0;

-- generation is that of the secret of the access token that it was made with.
CREATE TABLE bearer_token (
	hash            BLOB    PRIMARY KEY,
	access_token_id INTEGER NOT NULL REFERENCES access_token (id),
	generation      INTEGER NOT NULL,
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
	id           INTEGER PRIMARY KEY,
	name         TEXT    NOT NULL,
	code         TEXT    NOT NULL UNIQUE,
	family       TEXT    NOT NULL,
	active       INTEGER NOT NULL,
	can          INTEGER NOT NULL,
	partner_id   INTEGER NOT NULL,
	instructions TEXT    NOT NULL DEFAULT '',
	help_url     TEXT    NOT NULL DEFAULT ''
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

-- How a provider appears to its subscribers; empty: as without a brand.
CREATE TABLE brand (
	provider_id  INTEGER PRIMARY KEY,
	display_name TEXT    NOT NULL,
	logo         BLOB    NOT NULL,
	color        TEXT    NOT NULL,
	phone        TEXT    NOT NULL
);

-- The operator may add speeds; two that look alike could not be told apart.
CREATE TABLE internet_speed (
	id    INTEGER PRIMARY KEY,
	speed TEXT    NOT NULL UNIQUE,
	slug  TEXT    NOT NULL UNIQUE
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
	id                    INTEGER PRIMARY KEY,
	product_id            INTEGER NOT NULL,
	status_id             INTEGER NOT NULL,
	created_at            INTEGER NOT NULL,
	updated_at            INTEGER NOT NULL,
	operation_id          INTEGER NOT NULL,
	operation_kind        INTEGER NOT NULL,
	last_stable_status_id INTEGER NOT NULL,
	previous_product_id   INTEGER NOT NULL,
	requested_product_id  INTEGER NOT NULL,
	deferred_trigger      INTEGER NOT NULL,
	email_number          INTEGER NOT NULL
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
CREATE INDEX operation_deadline ON operation (deadline, kind) WHERE deadline IS NOT NULL;
CREATE INDEX operation_reason ON operation (service_id) WHERE reason <> ''; -- which an erased subscriber takes along

-- token_id is the access token that the event was caused with; 0: by somebody else
-- than the provider. about_token_id is the one that was made, rotated or revoked.
CREATE TABLE event (
	id                  INTEGER PRIMARY KEY,
	at                  INTEGER NOT NULL,
	type                INTEGER NOT NULL,
	subscriber_id       INTEGER NOT NULL,
	service_id          INTEGER NOT NULL,
	product_id          INTEGER NOT NULL,
	previous_product_id INTEGER NOT NULL,
	status_id           INTEGER NOT NULL,
	previous_status_id  INTEGER NOT NULL,
	operation_id        INTEGER NOT NULL,
	trigger             TEXT    NOT NULL,
	actor               TEXT    NOT NULL,
	token_id            INTEGER NOT NULL,
	about_token_id      INTEGER NOT NULL,
	reason              TEXT    NOT NULL
);
-- Without the events of the services that an import started: they follow that of their
-- subscriber. With them an import was a tenth slower.
CREATE INDEX event_subscriber ON event (subscriber_id) WHERE service_id = 0 OR trigger <> 'import';

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

-- Operations that shall happen later (decisions.md 16). token_id is the access token that
-- scheduled it; code says why it was refused. Times of 0 are never.
CREATE TABLE schedule (
	id         INTEGER PRIMARY KEY,
	service_id INTEGER NOT NULL,
	product_id INTEGER NOT NULL,
	operation  INTEGER NOT NULL,
	due_at     INTEGER NOT NULL,
	state      INTEGER NOT NULL,
	token_id   INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	ended_at   INTEGER NOT NULL,
	code       TEXT    NOT NULL
);
CREATE INDEX schedule_due ON schedule (due_at) WHERE state = 1;
CREATE INDEX schedule_service ON schedule (service_id);
CREATE UNIQUE INDEX schedule_waiting ON schedule (service_id, operation) WHERE state = 1;

-- destination is the partner of the operation, or the provider whose callback it is;
-- 0: the mail server. Each is claimed for by itself. sequence is the email_number of the
-- service or the attempts of the operation when the delivery was made. Times of 0 are never.
-- The key finds the deliveries of a subscriber, whose services are one range of ids; a second
-- index for it made an import a twentieth slower.
CREATE TABLE delivery (
	id            INTEGER NOT NULL,
	kind          INTEGER NOT NULL,
	destination   INTEGER NOT NULL,
	urgent        INTEGER NOT NULL,
	service_id    INTEGER NOT NULL,
	operation_id  INTEGER NOT NULL,
	sequence      INTEGER NOT NULL,
	state         INTEGER NOT NULL,
	attempts      INTEGER NOT NULL,
	created_at    INTEGER NOT NULL,
	next_at       INTEGER NOT NULL,
	attempted_at  INTEGER NOT NULL DEFAULT 0,
	opened_at     INTEGER NOT NULL DEFAULT 0,
	refused_since INTEGER NOT NULL DEFAULT 0,
	last_error    TEXT    NOT NULL,
	PRIMARY KEY (service_id, id)
) WITHOUT ROWID;
CREATE INDEX delivery_open ON delivery (kind, destination, next_at) WHERE state < 2;
CREATE INDEX delivery_urgent ON delivery (kind, destination, next_at) WHERE state < 2 AND urgent;
CREATE INDEX delivery_dead ON delivery (kind) WHERE state = 3;

-- delivery_id is the delivery that carried the link.
CREATE TABLE activation_link (
	hash         BLOB    PRIMARY KEY,
	delivery_id       INTEGER NOT NULL,
	service_id   INTEGER NOT NULL,
	email_number INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL,
	used_at      INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- A response about one subscriber is erased with it; subscriber_id 0: about none, or several.
CREATE TABLE idempotency_response (
	provider_id   INTEGER NOT NULL,
	key           BLOB    NOT NULL,
	fingerprint   BLOB    NOT NULL,
	response      BLOB    NOT NULL,
	subscriber_id INTEGER NOT NULL,
	created_at    INTEGER NOT NULL,
	PRIMARY KEY (provider_id, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_response_age ON idempotency_response (created_at);
CREATE INDEX idempotency_response_subscriber ON idempotency_response (subscriber_id) WHERE subscriber_id > 0;

CREATE TABLE partner_event (
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
CREATE INDEX partner_event_reason ON partner_event (operation_id) WHERE reason <> '';

-- What was done on the operator's side. Rows are only added, and deleted by age. The rights
-- on the database protect them, not the program.
CREATE TABLE operator_record (
	id        INTEGER PRIMARY KEY,
	at        INTEGER NOT NULL,
	os_user   TEXT    NOT NULL,
	host      TEXT    NOT NULL,
	command   TEXT    NOT NULL,
	arguments TEXT    NOT NULL,
	failed    INTEGER NOT NULL
);
CREATE INDEX operator_record_at ON operator_record (at);

-- Refused requests to authenticate and refused signatures of partners, counted.
CREATE TABLE refused_request (
	hour    INTEGER NOT NULL,
	address TEXT    NOT NULL,
	request TEXT    NOT NULL,
	count   INTEGER NOT NULL,
	PRIMARY KEY (hour, address, request)
) WITHOUT ROWID;

INSERT INTO internet_speed (id, speed, slug)
WITH RECURSIVE n (id, mbps) AS (
	SELECT 1, 10
	UNION ALL
	SELECT id + 1, CASE WHEN id < 20 THEN mbps + 10 ELSE mbps + 50 END FROM n WHERE id < 36
)
SELECT id, mbps || ' Mbps', mbps || '-mbps' FROM n
UNION ALL SELECT 37, '5 Mbps', '5-mbps'
UNION ALL SELECT 38, 'Não informado', 'Não informado';
