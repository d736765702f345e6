-- +goose Up
-- The reasons that are cleared when their subscriber is erased. Few operations and
-- confirmations have one.
CREATE INDEX operation_reason ON operation (service_id) WHERE reason <> '';
CREATE INDEX report_reason ON report (operation_id) WHERE reason <> '';
