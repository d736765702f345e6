-- Every service was enabled in the year before now: activated, suspended and reactivated, each in about a third
-- of the year.
WITH ranked AS (
	SELECT v.id, v.product_id, ROW_NUMBER() OVER (ORDER BY (v.id / 4096 * 7919) % 1000003, v.id) AS n, COUNT(*) OVER () AS of,
		8796093022208 * (v.id / 8796093022208) + p.last_event AS event, p.created_at - 365 * 86400000000 AS at
	FROM service v JOIN provider p ON p.id = v.id / 8796093022208
), paced AS (SELECT *, 365 * 86400000000 / (3 * of) AS pace FROM ranked)
INSERT INTO enabled_interval (service_id, begin_event, product_id, begin_at, end_event, end_at)
SELECT id, event + n, product_id, at + n * pace, event + of + n, at + (of + n) * pace FROM paced
UNION ALL
SELECT id, event + 2 * of + n, product_id, at + (2 * of + n) * pace, NULL, NULL FROM paced;
UPDATE provider SET last_event = last_event + (SELECT COUNT(*) FROM service) * 3;
