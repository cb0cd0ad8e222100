#!/bin/sh
# Before the first `docker compose up`: gives docker-compose.yml a password of its own, in `.env` beside it, which only its owner
# reads. A password that is there stays. A database made before there was this file has the password `bench`, and keeps it.
set -eu
cd "$(dirname "$0")/.."
umask 077
[ ! -e .env ] || chmod 600 .env
if grep -q '^POSTGRES_PASSWORD=.' .env 2>/dev/null; then exit 0; fi
password=${POSTGRES_PASSWORD:-}
if [ -z "$password" ]; then
  project=${COMPOSE_PROJECT_NAME:-$(basename "$PWD" | tr '[:upper:]' '[:lower:]' | tr -cd 'a-z0-9_-')}
  if docker volume inspect "${project}_postgres" >/dev/null 2>&1; then
    password=bench
    echo 'The database keeps its password "bench", which everyone knows: change it as docs/reference/deployment.md says.' >&2
  else
    password=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
  fi
fi
printf 'POSTGRES_PASSWORD=%s\n' "$password" >>.env
