-- +goose Up
-- The operator may add speeds; two that look alike could not be told apart.
CREATE UNIQUE INDEX internet_speed_text ON internet_speed (speed);
CREATE UNIQUE INDEX internet_speed_slug ON internet_speed (slug);
