# The README's commands. Each installs what is missing, says what it does, and may be repeated.
.PHONY: help setup run serve test lint bench bench-extract fuzz attack sabotage deny contract

# The schema fits this goal only: another goal brings its own, or none.
ifndef GOAL
GOAL := Get the top 3 stories on the front page.
SCHEMA ?= {"stories":[{"title":"string","url":"string","points":"integer"}]}
endif
URL ?=
SCHEMA ?=
SEED ?= 1
PAGES ?=

help: ## Shows this list.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

setup: ## Installs Chromium and nats-server when they are missing.
	@scripts/setup.sh

run: ## Carries out one goal in a real browser; GOAL=… URL=… SCHEMA=… choose another.
	@scripts/setup.sh chromium
	@GOAL='$(subst ','\'',$(GOAL))' URL='$(URL)' SCHEMA='$(subst ','\'',$(SCHEMA))' SEED='$(SEED)' scripts/run.sh

serve: ## Serves everything in one process on http://127.0.0.1:8080/.
	@scripts/setup.sh chromium
	@cargo build --quiet --workspace --bin errand
	@$${CARGO_TARGET_DIR:-target}/debug/errand serve

test: ## Runs every test, with real Chromium and nats-server.
	@scripts/setup.sh
	cargo build --workspace --bins
	cargo test --workspace

lint: ## Checks formatting and clippy's rules.
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

deny: ## Checks licences, sources, bans and, where its database can be reached, advisories.
	@scripts/deny.sh

fuzz: ## Looks for pages, JSON and numbers that break the extractor; FUZZ_SECONDS=600 for each.
	@scripts/fuzz.sh

bench: ## Measures against peers and limits in the same run.
	@scripts/setup.sh chromium
	@scripts/bench.sh

bench-extract: ## Times the extractor beside other extractors; PAGES=… names a folder of saved pages.
	@scripts/bench-extract.sh $(PAGES)

attack: ## Attacks the real server with hostile pages, clients, disks and schemas; a line a kind.
	@scripts/setup.sh
	@cargo build --quiet --workspace --bins
	@ERRAND_ATTACK=full cargo test --quiet -p errand-tests --test attack -- --nocapture --test-threads 2 $(KIND)

contract: ## Makes clients of the API's description, compiles them, and fuzzes the server with it.
	@scripts/setup.sh chromium
	@cargo build --quiet --workspace --bin errand
	@scripts/contract.sh

sabotage: ## Breaks each safeguard and shows the test that notices.
	@scripts/setup.sh chromium
	@scripts/sabotage.sh
