#!/bin/sh
# build-temporal.sh <process>: started by ./bench at first use, beside npm. Builds Temporal's server where there is none and none can be
# downloaded: minutes of two cores. Under the lock, and into the place, of services/find-temporal.ts, which waits for it. Ends with that
# process: a background job does not hear of Ctrl-C.
set -eu
parent=$1
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
bin=${XDG_CACHE_HOME:-$HOME/.cache}/bench/bin

if command -v temporal >/dev/null || [ -x "$bin/temporal" ]; then exit 0; fi
command -v go >/dev/null && command -v flock >/dev/null || exit 0
version=$(sed -n "s/^const TEMPORAL_CLI_VERSION = '\(.*\)';$/\1/p" "$root/services/find-temporal.ts")
if [ -z "$version" ]; then
  echo "build-temporal.sh: services/find-temporal.ts has no line with the version" >&2
  exit 1
fi

mkdir -p "$bin"
exec 9>>"$bin/.temporal.lock"
flock -n 9 || exit 0
# Where it can be downloaded, that takes seconds, later.
if node -e '
  fetch(process.argv[1], { method: "HEAD", signal: AbortSignal.timeout(8000) }).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))
' "https://github.com/temporalio/cli/releases/download/v$version/temporal_cli_${version}_linux_amd64.tar.gz" 2>/dev/null; then exit 0; fi

scratch=$(mktemp -d "$bin/.temporal-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
printf '%s\n' "bench: beside that, building Temporal with Go, once per user (2 to 5 minutes on two cores)" >&2
began=$(date +%s)
GOBIN=$scratch CGO_ENABLED=0 GOFLAGS=-mod=mod go install -ldflags='-s -w' "github.com/temporalio/cli/cmd/temporal@v$version" >"$scratch/log" 2>&1 9>&- &
build=$!
while kill -0 "$build" 2>/dev/null; do
  if ! kill -0 "$parent" 2>/dev/null; then
    kill "$build" 2>/dev/null || true
    exit 1
  fi
  sleep 1
done
# Else services/find-temporal.ts tries again, and says why it fails.
if wait "$build" && mv -f "$scratch/temporal" "$bin/temporal"; then
  printf '%s\n' "bench: built Temporal with Go in $(($(date +%s) - began)) s" >&2
fi
