-- +goose Up
-- The confirmations that are not applied yet, which each server looks for every second.
CREATE INDEX report_stored ON report (received_at, partner_id, id) WHERE state = 0;
