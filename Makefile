# Each target is one line of intent; what is longer lives in scripts/.
.POSIX:
.PHONY: help demo test soak bench bench-quick bench-instructions lint fmt docs generate fuzz dist dist-test check-platforms test-windows bump clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-18s %s\n", $$1, $$2 }' Makefile

demo: ## build, then run the example extensions under the real host
	@scripts/check-toolchains.sh && scripts/demo.sh

test: ## everything that must hold before a change is merged
	@scripts/check-toolchains.sh && scripts/test.py

soak: ## hostile extensions and hosts for SOAK_SECONDS (default 600), drawn from SOAK_SEED
	@scripts/check-toolchains.sh && scripts/soak.sh

bench: ## measure calls, starts and memory beside the peers, about nine minutes after the builds (bench/README.md)
	@scripts/check-toolchains.sh && python3 bench/run.py

bench-quick: ## the same in about two minutes after the builds
	@scripts/check-toolchains.sh && python3 bench/run.py --quick

bench-instructions: ## count the instructions of a call; needs valgrind, skipped without it
	@scripts/check-toolchains.sh && python3 bench/instructions.py

lint: ## format check and clippy, warnings are errors
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings

fmt: ## format the Rust code
	cargo fmt --all

docs: ## build the API documentation into target/doc
	cargo doc --locked --workspace --no-deps

.PHONY: docs-site conformance-deep test-agents check-compat check-advisories lint-workflows tools
docs-site: ## build the documentation site into target/site and follow its links; needs mdbook
	@scripts/docs_site.py

conformance-deep: ## every case again under other surroundings, against each kit: many minutes
	@scripts/check-toolchains.sh && scripts/deep.py

test-agents: ## the official clients of MCP, and a zot where there is one, against the examples
	@scripts/check-toolchains.sh && scripts/test-agents.py

check-compat: ## crates, Python modules, the C ABI and extensions beside the release before, or OLD=REVISION
	@scripts/check-toolchains.sh && scripts/compat.py

check-advisories: ## all that cargo-deny checks, with the advisories of today
	cargo deny --locked check

lint-workflows: ## the files of .github, with actionlint where it is there
	@scripts/lint_workflows.py

tools: ## install TOOLS (say "mdbook actionlint") into target/tools; without TOOLS, list them
	@if [ -n "$(TOOLS)" ]; then scripts/tools.py install $(TOOLS); else scripts/tools.py list; fi

generate: ## rewrite the files generated from code and docs, and show what changed
	@scripts/generate.sh

fuzz: ## run every fuzz target for FUZZ_SECONDS (default 60) with cargo-fuzz
	@scripts/fuzz.sh

dist: ## make the packages of a release in dist/; PARTS and TARGETS make some (docs/contributing/release.md)
	@python3 scripts/dist/build.py

dist-test: ## install what is in dist/ into emptied environments, and use it
	@python3 scripts/dist/use.py

test-windows: ## build what is ported to Windows with mingw, and run it under wine; skipped without them
	@python3 scripts/test_windows.py

check-platforms: ## build and link everything for macOS, musl and aarch64; TARGETS for some
	@python3 scripts/dist/check_platforms.py

bump: ## give all packages another version: make bump VERSION=0.2.0
	@python3 scripts/bump.py $(VERSION)

clean: ## remove what was built
	cargo clean
