#!/usr/bin/env bash
# Proves each safeguard by breaking it: with the safeguard left out, a named test must fail; without sabotage, it passes.
set -uo pipefail
cd "$(dirname "$0")/.."
output=$(mktemp)
trap 'rm -f "$output"' EXIT

echo "sabotage: building the tests"
built=$(cargo test --workspace --no-run --message-format=json 2>/dev/null | grep '"executable":"') || exit 1

# executable FOLDER TEST: the test binary of the crate in that folder
executable() {
    echo "$built" | grep -F "/$1#" | grep -F "\"name\":\"$2\"" | sed -E 's/.*"executable":"([^"]+)".*/\1/' | head -n 1
}

failures=0
# prove SABOTAGE FOLDER TEST FILTER
prove() {
    local binary
    binary=$(executable "$2" "$3")
    [ -n "$binary" ] || { echo "sabotage: no test binary $3 in $2"; failures=$((failures + 1)); return; }
    if ! (cd "$2" && "$binary" $4 >"$output" 2>&1); then
        echo "FAULT  $1: the test fails even without sabotage"
        tail -n 20 "$output"
        failures=$((failures + 1))
        return
    fi
    if (cd "$2" && ERRAND_SABOTAGE=$1 "$binary" $4 >"$output" 2>&1); then
        echo "FAULT  $1: no test of $2 ($3 $4) noticed"
        failures=$((failures + 1))
    else
        echo "proven $1: noticed by"
        sed -nE 's/^test (.*) \.\.\. FAILED$/         \1/p' "$output" | head -n 5
    fi
}

prove drop_expected crates/store conformance "embedded"
prove skip_flush crates/store conformance "crash::"
prove no_mark crates/store conformance "damage::"
prove no_checksum crates/store conformance "damage::"
prove claim_after_send notifier it ""
prove resend_in_doubt notifier it ""
prove guard_off tests attack "requests::pages"
prove reuse_connections tests attack "resend::"

if [ "$failures" -gt 0 ]; then
    echo "sabotage: $failures safeguard(s) not proven"
    exit 1
fi
echo "sabotage: every safeguard is proven"
