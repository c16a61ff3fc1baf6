# Everything starts from a bare machine with Python 3.11 or newer, git and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
export PYTHONUTF8 := 1

.PHONY: help demo test lint types layers derived-check unit fuzz derived format benchmark benchmark-run benchmark-peers clean

help: ## Show what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

demo: $(VENV)/.installed ## Check and run the example suites; needs no key and no network
	@$(BIN)/python examples/demo.py

test: lint types layers derived-check unit ## Everything CI checks

lint: $(VENV)/.installed-dev ## Style, with ruff
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.installed-dev ## Types, with mypy and pyright
	$(BIN)/mypy
	$(BIN)/pyright

layers: $(VENV)/.installed-dev ## That layers use only what stands below them, with import-linter
	$(BIN)/lint-imports

derived-check: $(VENV)/.installed-dev ## That pages of rules and JSON Schemas are current
	$(BIN)/python -m suitecase.derived --check

unit: $(VENV)/.installed-dev ## The tests, real servers, processes and editors included
	$(BIN)/pytest -q

fuzz: $(VENV)/.installed-dev ## Ten minutes of random bytes and edits against the checker
	SUITECASE_FUZZ_SECONDS=300 $(BIN)/pytest -q tests/fuzz

derived: $(VENV)/.installed ## Write the pages of the rules and the JSON Schemas
	$(BIN)/python -m suitecase.derived

format: $(VENV)/.installed-dev ## Format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

benchmark: $(VENV)/.installed ## Measure the checker beside the floor
	$(BIN)/python benchmarks/check.py

benchmark-run: $(VENV)/.installed ## Measure the runner beside its peers
	$(BIN)/python benchmarks/run.py

benchmark-peers: ## Install what the benchmarks compare with, into benchmarks/.peers
	$(PYTHON) -m venv benchmarks/.peers/venv
	benchmarks/.peers/venv/bin/python -m pip -qq install check-jsonschema==0.39.0
	$(PYTHON) -m venv benchmarks/.peers/runners
	benchmarks/.peers/runners/bin/python -m pip -qq install inspect_ai==0.3.285 deepeval==4.3.1
	cd benchmarks/.peers && npm install --silent --no-fund --no-audit --ignore-scripts --omit=peer agentv@4.42.4 yaml-language-server@2.0.0 promptfoo@0.121.20

clean: ## Remove the environment and what was derived in passing
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	@echo "Creating an environment in $(VENV) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Suitecase needs Python 3.11 or newer; say which with make PYTHON=...")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "Installing suitecase and what it needs; this takes a minute the first time ..."
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	@echo "Installing suitecase and what its tests need; this takes a few minutes the first time ..."
	@$(PIP) install --editable '.[dev]'
	@touch $@ $(VENV)/.installed
