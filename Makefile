# Deskside: `make run` sets everything up and starts it. `make help` lists the rest.

SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv/bin
DESKSIDE := $(VENV)/deskside
TEST_MODELS := multilingual-e5-small qwen2.5-coder-0.5b-instruct

.DEFAULT_GOAL := help
.PHONY: help setup setup-run setup-dev models models-test run test kill-test soak eval bench-ingest bench-search parse-report check fmt

help: ## what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /  make \1\t/' | expand -t 22

setup: ## the environment in .venv, with the tools for tests; tries a failed compile again
	@$(PYTHON) scripts/setup.py --dev --again

setup-run:
	@$(PYTHON) scripts/setup.py

setup-dev:
	@$(PYTHON) scripts/setup.py --dev

models: setup-run ## the models that suit this computer
	@$(DESKSIDE) models pull

models-test: setup-dev ## the small models that the tests run
	@for model in $(TEST_MODELS); do $(DESKSIDE) models pull $$model || exit 1; done

# Without a model the service still runs: search works, and it says what is missing.
run: setup-run ## set up, fetch the models, start the service
	@$(DESKSIDE) models pull || echo "[deskside] No answers without a model; searching works."
	@$(DESKSIDE) serve || test $$? -eq 130 # Ctrl+C is no error

test: models-test check ## set up, check, run every test
	@$(VENV)/python -m pytest

kill-test: models-test ## kill the service 120 times during ingest; nothing may be lost or doubled
	@$(VENV)/python scripts/kill_test.py

bench-ingest: models-test ## how fast answers come while the inbox is full
	@$(VENV)/python scripts/bench_ingest.py

bench-search: setup-dev ## how fast passages are found among 10,000 and 100,000
	@$(DESKSIDE) models pull multilingual-e5-small
	@$(VENV)/python scripts/bench_search.py

eval: setup-dev ## how well passages are found, beside BM25 alone and dense alone (SAMPLE=200, FULL=1)
	@$(DESKSIDE) models pull multilingual-e5-small
	@$(VENV)/python scripts/eval_sets.py --sample $(or $(SAMPLE),60) $(if $(FULL),--full)

soak: models-test ## ten people ask at once for ten minutes; no error but "come back later", flat memory
	$(VENV)/python scripts/soak.py

check: setup-dev ## ruff, mypy, import contracts
	$(VENV)/ruff check .
	$(VENV)/ruff format --check .
	$(VENV)/mypy
	$(VENV)/lint-imports

fmt: setup-dev ## format and fix what can be fixed
	$(VENV)/ruff check --fix-only .
	$(VENV)/ruff format .

parse-report: setup-dev ## how well files are read: real ones (FILES=folder) and generated ones
	@$(VENV)/python scripts/parse_report.py $(FILES)
