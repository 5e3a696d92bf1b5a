#!/bin/sh
# Runs once, in an empty database server: the owner role, which is no superuser, its database and the extensions.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$DATABASE_PASSWORD" --username postgres <<'SQL'
CREATE ROLE memoryplane_owner LOGIN CREATEROLE NOSUPERUSER NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE memoryplane OWNER memoryplane_owner;
\connect memoryplane
CREATE EXTENSION vector;
CREATE EXTENSION pg_trgm;
SQL
