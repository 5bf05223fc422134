#!/usr/bin/env bash
# Checks the dependencies against deny.toml: bans, licences and sources always, advisories when their database can be reached.
set -euo pipefail
cd "$(dirname "$0")/.."
version=0.20.2
deny=target/tools/bin/cargo-deny
advisories=https://github.com/RustSec/advisory-db

if ! [ "$("$deny" --version 2>/dev/null)" = "cargo-deny $version" ]; then
    echo "deny: installing cargo-deny $version (this takes some minutes, once)" >&2
    cargo install --quiet --locked cargo-deny --version "$version" --root target/tools
fi

"$deny" check bans licenses sources
if timeout 20 git ls-remote --exit-code "$advisories" HEAD >/dev/null 2>&1; then
    "$deny" check advisories
else
    echo "deny: advisories were NOT checked, since $advisories cannot be reached" >&2
fi
