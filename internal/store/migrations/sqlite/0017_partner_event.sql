-- +goose Up
-- A partner event is applied when it is stored: none waits. What did can be replayed.
DROP INDEX report_stored;
UPDATE report SET state = 3 WHERE state = 0;
