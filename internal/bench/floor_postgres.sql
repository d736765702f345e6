-- The floor of an import: the spreadsheet in the minimal tables that the service needs, without operations,
-- history, authentication or search. $csv is its path.
CREATE SCHEMA floor;
SET search_path = floor;
CREATE TABLE subscriber(id BIGINT PRIMARY KEY, provider_id INT NOT NULL, document TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL,
	phone TEXT NOT NULL, internet_speed_id INT NOT NULL, customer_plan TEXT NOT NULL, created_at TIMESTAMPTZ NOT NULL);
CREATE UNIQUE INDEX ON subscriber(provider_id, document);
CREATE TABLE service(subscriber_id BIGINT NOT NULL, product_id INT NOT NULL, status_id INT NOT NULL, token BYTEA NOT NULL,
	created_at TIMESTAMPTZ NOT NULL, updated_at TIMESTAMPTZ NOT NULL, PRIMARY KEY(subscriber_id, product_id));
CREATE TABLE outbox(id BIGSERIAL PRIMARY KEY, kind INT NOT NULL, subscriber_id BIGINT NOT NULL, product_id INT NOT NULL,
	attempt INT NOT NULL, run_at TIMESTAMPTZ NOT NULL);
CREATE INDEX ON outbox(run_at);
CREATE TEMP TABLE st(id BIGSERIAL, name TEXT, email TEXT, document TEXT, phone TEXT, internet_speed_id INT, customer_plan TEXT, products_ids TEXT);
\copy st(name,email,document,phone,internet_speed_id,customer_plan,products_ids) FROM '$csv' CSV HEADER
BEGIN;
INSERT INTO subscriber SELECT id,1,document,name,email,phone,internet_speed_id,customer_plan,now() FROM st ON CONFLICT DO NOTHING;
INSERT INTO service SELECT st.id, p::int, 10, gen_random_uuid()::text::bytea, now(), now() FROM st, unnest(string_to_array(products_ids,';')) p;
INSERT INTO outbox(kind,subscriber_id,product_id,attempt,run_at) SELECT 1, subscriber_id, product_id, 0, created_at FROM service;
COMMIT;
