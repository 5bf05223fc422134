#!/usr/bin/env bash
# Looks for inputs that break the extractor, FUZZ_SECONDS for each target; what it finds belongs into crates/extract/tests/found.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-600}
targets=${FUZZ_TARGETS:-html json numbers}
tools=$PWD/target/tools
export PATH=$tools/bin:$PATH
# Its build has instructions of its own in every crate: it must not be mixed with the others.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/fuzz

if ! command -v cargo-fuzz >/dev/null 2>&1; then
    echo "fuzz: installing cargo-fuzz (once)" >&2
    env -u CARGO_TARGET_DIR cargo install --quiet --locked cargo-fuzz --version 0.13.1 --root "$tools"
fi

# The extractor has no unsafe code: panics, hangs and memory are looked for, which needs no sanitizer and no nightly compiler.
cd crates/extract
echo "fuzz: building" >&2
cargo fuzz build --sanitizer none >&2
for target in $targets; do
    seeds=(tests/found/"$target")
    [ "$target" = html ] && seeds+=(tests/records)
    mkdir -p "fuzz/corpus/$target"
    echo "fuzz: $target for $seconds s"
    status=0
    # An input that hangs can hang the fuzzer's own report of it too.
    timeout --kill-after=10 $((seconds + 120)) \
        cargo fuzz run --sanitizer none "$target" "fuzz/corpus/$target" "${seeds[@]}" -- \
            -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -max_len=65536 -print_final_stats=1 \
            >"fuzz/$target.log" 2>&1 || status=$?
    if [ "$status" -ne 0 ] || ! grep -qE 'stat::number_of_executed_units: +[1-9]' "fuzz/$target.log"; then
        tail -n 40 "fuzz/$target.log" >&2
        echo "fuzz: $target ended with status $status; findings are in crates/extract/fuzz/artifacts/$target" >&2
        exit 1
    fi
    grep -E 'stat::(number_of_executed_units|slowest_unit|peak_rss)|^Done' "fuzz/$target.log"
done
echo "fuzz: no finding"
