#!/usr/bin/env bash
# Times the extractor beside extruct and frankensurf, single thread, in the same run: bench-extract.sh [FOLDER].
# FOLDER holds pages as .html or .html.gz; without one it takes the extractor's own fixtures, which are small.
set -euo pipefail
cd "$(dirname "$0")/.."
pages=${1:-crates/extract/tests/records}
runs=${RUNS:-3}
target=${CARGO_TARGET_DIR:-$PWD/target}
venv=$target/tools/extract-peers
extruct=0.18.0 frankensurf=0.52.0
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

if ! [ -f "$venv/$extruct-$frankensurf" ]; then
    echo "bench-extract: installing the peers into $venv" >&2
    python3 -m venv --clear "$venv"
    install() { "$venv/bin/pip" install --quiet --disable-pip-version-check "$@"; }
    # frankensurf asks for Python 3.12 and a browser; the one module that is measured needs neither. The row of a peer that
    # cannot be installed says so.
    if install "extruct==$extruct" jsonschema && install --no-deps --ignore-requires-python "frankensurf==$frankensurf"; then
        touch "$venv/$extruct-$frankensurf"
    fi
fi
cargo build --quiet --release -p errand-extract --example bench
# In turns, so that a busy moment of the machine meets them alike; the best turn of each counts.
for _ in 1 2 3; do
    "$target/release/examples/bench" "$pages" "$runs" >> "$rows"
    "$venv/bin/python" crates/extract/bench/peers.py "$pages" "$runs" >> "$rows"
done

count=$(find "$pages" -maxdepth 1 \( -name '*.html' -o -name '*.html.gz' \) | wc -l)
echo "8 fields of $count pages of $pages: median page, single thread, best of 3 x $runs runs"
awk -F '\t' '
    !($1 in ms) { name[++rows] = $1; ms[$1] = $2 }
    $2 + 0 < ms[$1] + 0 { ms[$1] = $2 }
    function ratio(row, start,   peer) {
        for (peer = 1; peer <= rows; peer++) if (index(name[peer], start) == 1 && ms[name[peer]] + 0 > 0) return sprintf("%.3f", ms[row] / ms[name[peer]])
        return "-"
    }
    END {
        printf "%-54s %8s %10s %17s %14s\n", "", "ms", "/ extruct", "/ schema_extract", "/ frankensurf"
        for (at = 1; at <= rows; at++) {
            row = name[at]
            if (ms[row] + 0 > 0) printf "%-54s %8.2f %10s %17s %14s\n", row, ms[row], ratio(row, "extruct"), ratio(row, "frankensurf, schema_extract"), ratio(row, "frankensurf, a parse")
            else printf "%-54s %s\n", row, ms[row]
        }
    }' "$rows"
