# `make` lists what there is. Everything runs from .venv, which `make setup` makes.

PYTHON ?= python3
PORT ?= 8000
WEB ?= 1
WORKERS ?= 1
MINUTES ?= 60
CONTROL ?=

# The others take long, or need a file that is not ours to pass on: docs/benchmarks.md.
BENCH := cpu plan vector over_http erasure

PY := .venv/bin/python
PIP := $(PY) -m pip --disable-pip-version-check
.DEFAULT_GOAL := help
.PHONY: help setup setup-dev up demo test faults soak audit check pictures fmt bench doctor clean
.SILENT:

help: ## list these targets
	awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/setup.stamp ## make .venv and install requirements.txt (Python 3.11 or newer; PYTHON=python3.12 picks one)

setup-dev: .venv/setup-dev.stamp ## the same, with what tests and checks need

up: .venv/setup.stamp ## run database, Redis, web, workers and scheduler (PORT=8000 WEB=1 WORKERS=1); Ctrl-C stops all
	exec $(PY) manage.py up --port $(PORT) --web $(WEB) --workers $(WORKERS)

demo: .venv/setup.stamp ## fill a second project with conversations, beside a running `make up`
	$(PY) manage.py demo

doctor: .venv/setup.stamp ## say in plain words what is wrong with this installation
	$(PY) manage.py doctor

test: .venv/setup-dev.stamp ## run every test on throw-away servers (ARGS="tests/facts -k add" for some)
	$(PY) -m pytest -n auto $(ARGS)

faults: .venv/setup-dev.stamp ## the tests of faults at full length, about an hour: what is killed, stopped and emptied, counted (ARGS="-k postgres")
	FAULTS=whole $(PY) -m pytest -q tests/faults tests/isolation tests/api/test_schemathesis.py $(ARGS)

soak: .venv/setup-dev.stamp ## reads, writes, dreams and random faults for MINUTES=60, and a check of the whole history (CONTROL=1 must fail)
	MINUTES=$(MINUTES) CONTROL=$(CONTROL) FAULTS=whole $(PY) -m pytest -q tests/faults/soak.py $(ARGS)

check: .venv/setup-dev.stamp ## lint, types, import order, templates, deploy check, migrations, OpenAPI file
	$(PY) .ci/check.py

pictures: .venv/setup-dev.stamp ## every page as a picture into var/pictures (ARGS="--pages overview --widths 390")
	$(PY) -m tests.e2e.pictures $(ARGS)

fmt: .venv/setup-dev.stamp ## sort imports, format Python and templates
	$(PY) -m ruff check --quiet --select I --fix .
	$(PY) -m ruff format .
	$(PY) -m djlint templates --reformat --quiet

bench: .venv/setup-dev.stamp ## the short measurements, in under five minutes: figure beside goal, JSON in benchmarks/results/
	failed=; for script in $(BENCH); do \
	  echo "benchmarks/$$script.py --short"; $(PY) "benchmarks/$$script.py" --short || failed="$$failed $$script"; \
	done; test -z "$$failed" || { echo "short of a goal:$$failed"; exit 1; }

audit: .venv/setup-dev.stamp ## ask the advisories of PyPI about every package in requirements.txt; needs the network, so `make check` does not
	$(PY) -m pip_audit --requirement requirements.txt --progress-spinner off

clean: ## remove .venv and caches; data in var/ stays
	rm -rf .venv .ruff_cache .mypy_cache .pytest_cache .import_linter_cache .hypothesis

.venv/setup.stamp: requirements.txt
	command -v $(PYTHON) >/dev/null || { echo "memoryplane needs Python 3.11 or newer, and there is no $(PYTHON) here."; exit 1; }
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "memoryplane needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) -V 2>&1); name another: make $(or $(MAKECMDGOALS),setup) PYTHON=python3.12"; exit 1; }
	$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make a virtual environment; on Debian: apt-get install python3-venv"; exit 1; }
	$(PIP) --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv
	echo "Installing what memoryplane needs into .venv; the first time takes about a minute"
	$(PYTHON) .ci/install.py $(PY) requirements.txt
	touch $@

.venv/setup-dev.stamp: requirements-dev.txt .venv/setup.stamp
	echo "Installing what tests and checks need; the first time takes about a minute"
	$(PYTHON) .ci/install.py $(PY) requirements-dev.txt
	touch $@
