# The commands of this repository; `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help setup install run quick test mutants check audit sbom dist docs screenshots bench faults lock

# `make test ARGS="-k tiers"`: passed on to the command behind run, test, docs, bench and lock.
ARGS ?=
# Python keeps what it compiled: otherwise each run of the tests compiles all of them again.
unexport PYTHONDONTWRITEBYTECODE

help:
	@echo "make COMMAND, where COMMAND is one of"
	@sed -n 's/^\([a-z]*\):.*## /  \1	/p' Makefile | expand -t 12
	@echo 'ARGS="..." passes arguments on: make test ARGS="-k tiers"'

setup: ## make .venv from the lock file, with the command at .venv/bin/lootkeep
	@tools/setup.sh .venv locks/dev.txt project

SERVING_LOCKS = locks/runtime.txt locks/build.txt

install: ## make .venv with what serves and no more, for a server
	@tools/setup.sh .venv "$(SERVING_LOCKS)" project

# What serves is enough to run; an environment for development is not reduced to it.
RUN_LOCKS = $(if $(shell grep -s locks/dev.txt .venv/.made-from),locks/dev.txt,$(SERVING_LOCKS))

run: ## start the service on 127.0.0.1:8000 with the embedded database
	@tools/setup.sh .venv "$(RUN_LOCKS)" project
	@trap : INT; .venv/bin/lootkeep serve $(ARGS) || [ $$? = 130 ]

# Each process takes its share of the files in a row, and then what another has left: a store that is filled for many
# tests is filled once. Eight at most; for all tests one more than there are cores, as many wait for a server or a browser.
EACH_CORE = -n auto --maxprocesses 8 --dist worksteal
ONE_MORE = -n $$(n=$$(getconf _NPROCESSORS_ONLN); echo $$((n < 8 ? n + 1 : 8))) --dist worksteal

test: setup ## run all tests on SQLite, PostgreSQL and Redis, in Node, PHP and Chromium, which it finds or installs
	@exec .venv/bin/python -m tests.servers -- .venv/bin/python -m pytest $(ONE_MORE) $(ARGS)

quick: setup ## run the fast tests that need no server and no browser, on SQLite; stops at the first failure and shows it
	@exec .venv/bin/python -m pytest $(EACH_CORE) -x --quick $(ARGS)

mutants: setup ## find mistakes that tests do not notice: make mutants MODULE=lootkeep/domain/orders.py TESTS=tests/domain
	@exec .venv/bin/python -m tools.mutants $(MODULE) $(TESTS) $(ARGS)

check: setup ## style, types, imports, dead code, dependencies, licences, advisories and the rules in tests/rules
	@exec .venv/bin/python tools/check.py

audit: setup ## licences and known vulnerabilities of what serves; fails where advisories cannot be reached
	@exec .venv/bin/python -m tools.audit --required

sbom: setup ## write the bill of materials of what serves to build/lootkeep.cdx.json, CycloneDX
	@mkdir -p build
	@.venv/bin/python -m tools.sbom >build/lootkeep.cdx.json
	@echo "build/lootkeep.cdx.json"

dist: setup ## build what is published into dist/: wheels, npm and Composer packages, bill of materials, checksums
	@exec .venv/bin/python -m tools.dist

docs: ## write the documentation site to site/
	@tools/setup.sh .venv-docs locks/docs.txt
	@NO_MKDOCS_2_WARNING=1 exec .venv-docs/bin/mkdocs build $(ARGS)

screenshots: setup ## take the pictures of the console in docs/images from the demo store, in Chromium
	@exec .venv/bin/python -m tools.screenshots $(ARGS)

bench: setup ## measure everything against the peers in bench/peers, which it installs, and write bench/RESULTS.md; takes hours
	@tools/setup.sh .venv-bench locks/bench.txt
	@npm ci --prefix bench/peers/bullmq --ignore-scripts --no-audit --no-fund --silent
	@npm ci --prefix bench/peers/vendure --ignore-scripts --no-audit --no-fund --silent
# Its lock file lacks packages for other systems, which `npm ci` asks for.
	@npm install --prefix bench/peers/medusa --no-save --ignore-scripts --no-audit --no-fund --silent
	@exec .venv/bin/python -m tests.servers -- .venv/bin/python -m bench $(ARGS)

faults: setup ## kill workers by the hundred while they deliver, and count what is lost; takes over an hour
	@exec .venv/bin/python -m tests.servers -- .venv/bin/python -m tests.faults.kill_workers $(ARGS)

lock: ## write the lock files again from pyproject.toml; ARGS=--upgrade takes newer versions
	@exec tools/lock.sh $(ARGS)
