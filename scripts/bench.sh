#!/usr/bin/env bash
# Measures the release build beside bare counterparts in the same run. Takes some two minutes after the build; never in CI.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "bench: building with optimisation (the first time takes some minutes)" >&2
cargo build --quiet --release --workspace --bins
# On the disk that the build is on: a folder in memory would make every sync free.
export TMPDIR=${CARGO_TARGET_DIR:-$PWD/target}/bench-tmp
mkdir -p "$TMPDIR"
cargo bench --quiet --workspace --bench overhead
# Speed of extraction beside other extractors has a bench of its own.
if [ -x scripts/bench-extract.sh ]; then scripts/bench-extract.sh; fi
