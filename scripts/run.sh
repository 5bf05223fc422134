#!/usr/bin/env bash
# Carries out one goal and prints the run. Without URL it is the fixture site's front page.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "run: building (the first time takes some minutes)" >&2
# All commands build with the features of the whole workspace, so that one never rebuilds what another has built.
cargo build --quiet --workspace --bin errand --bin fixture-site
bin=${CARGO_TARGET_DIR:-target}/debug

if [ -z "${URL:-}" ]; then
    log=$(mktemp)
    "$bin/fixture-site" --seed "${SEED:-1}" --listen 127.0.0.1:0 >"$log" &
    site=$!
    trap 'kill "$site" 2>/dev/null; rm -f "$log"' EXIT
    for _ in $(seq 100); do
        URL=$(sed -n 's/^fixture site: //p' "$log")
        [ -n "$URL" ] && break
        sleep 0.05
    done
    [ -n "$URL" ] || { echo "run: the fixture site did not start" >&2; exit 1; }
    URL=${URL%/}/news
    echo "run: fixture site at $URL" >&2
fi

schema=()
[ -n "${SCHEMA:-}" ] && schema=(--schema "$SCHEMA")
"$bin/errand" run "$GOAL" --url "$URL" "${schema[@]}"
