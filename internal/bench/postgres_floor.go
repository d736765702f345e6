//go:build linux

package main

// postgresLoad is sqliteLoad for psql.
const postgresLoad = `
CREATE TABLE subscriber(id BIGINT PRIMARY KEY, provider_id INT NOT NULL, document TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL,
	phone TEXT NOT NULL, internet_speed_id INT NOT NULL, customer_plan TEXT NOT NULL, created_at TIMESTAMPTZ NOT NULL);
CREATE UNIQUE INDEX subscriber_doc ON subscriber(provider_id, document);
CREATE TABLE service(subscriber_id BIGINT NOT NULL, product_id INT NOT NULL, status_id INT NOT NULL, token BYTEA NOT NULL,
	created_at TIMESTAMPTZ NOT NULL, updated_at TIMESTAMPTZ NOT NULL, PRIMARY KEY(subscriber_id, product_id));
CREATE TABLE outbox(id BIGSERIAL PRIMARY KEY, kind INT NOT NULL, subscriber_id BIGINT NOT NULL, product_id INT NOT NULL,
	attempt INT NOT NULL, run_at TIMESTAMPTZ NOT NULL);
CREATE INDEX outbox_run ON outbox(run_at);
CREATE TEMP TABLE st(id BIGSERIAL, name TEXT, email TEXT, document TEXT, phone TEXT, internet_speed_id INT, customer_plan TEXT, products_ids TEXT);
\copy st(name,email,document,phone,internet_speed_id,customer_plan,products_ids) FROM '%s' CSV HEADER
BEGIN;
INSERT INTO subscriber SELECT id,1,document,name,email,phone,internet_speed_id,customer_plan,now() FROM st ON CONFLICT DO NOTHING;
INSERT INTO service SELECT st.id, p::int, 10, gen_random_uuid()::text::bytea, now(), now()
	FROM st, unnest(string_to_array(products_ids,';')) p;
INSERT INTO outbox(kind,subscriber_id,product_id,attempt,run_at) SELECT 1, subscriber_id, product_id, 0, created_at FROM service;
COMMIT;
`

const postgresList = `COPY (
	SELECT json_build_object('name', s.name, 'email', s.email, 'document', s.document, 'phone', s.phone, 'internet_speed_id', s.internet_speed_id,
		'customer_plan', s.customer_plan, 'created_at', s.created_at,
		'services', (SELECT json_agg(json_build_object('content_supplier_product_id', v.product_id, 'status_id', v.status_id,
			'token_created_at', v.created_at, 'status_updated_at', v.updated_at)) FROM service v WHERE v.subscriber_id = s.id))
	FROM subscriber s
	ORDER BY s.id
) TO STDOUT;
`

const postgresSuspend = `
CREATE TEMP TABLE d(document TEXT);
\copy d FROM '%s'
BEGIN;
UPDATE service SET status_id=14, updated_at=now() WHERE product_id=1
	AND subscriber_id IN (SELECT id FROM subscriber WHERE provider_id=1 AND document IN (SELECT document FROM d));
INSERT INTO outbox(kind,subscriber_id,product_id,attempt,run_at)
	SELECT 3, id, 1, 0, now() FROM subscriber WHERE provider_id=1 AND document IN (SELECT document FROM d);
COMMIT;
`
