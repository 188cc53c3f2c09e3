# Every target sets up what it needs; `make setup` is idempotent and asks nothing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
GROUPS := run fast web fleet test lint
LOCKS := $(GROUPS:%=requirements/%.txt)
STAMP := $(VENV)/.setup-done
ORACLE := .venv-oracle/.setup-done

.PHONY: help setup demo test draws check lint types contracts docs docs-check bench bench-small clean

help:
	@echo "make demo         set up, then run the whole road on the 384-GPU example"
	@echo "make test         set up, then pass all tests"
	@echo "make draws        the property tests with new random draws"
	@echo "make check        lint, format, types, import contracts, docs up to date"
	@echo "make bench-small  ratios to named peers, small sizes (CI); make bench: full sizes"
	@echo "make docs         regenerate the generated reference pages"

setup: $(STAMP)

$(STAMP): $(LOCKS) pyproject.toml tools/setup.sh
	@PYTHON="$(PYTHON)" VENV="$(VENV)" sh tools/setup.sh $(GROUPS)
	@touch $@

$(ORACLE): requirements/oracle.txt pyproject.toml
	@PYTHON="$(PYTHON)" VENV=".venv-oracle" ASBUILT_APT=no sh tools/setup.sh oracle
	@touch $@

demo: setup
	$(BIN)/asbuilt demo demo

test: setup $(ORACLE)
	$(BIN)/python -m pytest -n 2 --dist worksteal -q

# `make test` draws the same every time: a failure there is the change's. What no fixed draw meets is searched for here.
draws: setup
	ASBUILT_DRAWS=random $(BIN)/python -m pytest -n 2 --dist worksteal -q tests/property

check: lint types contracts docs-check

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

contracts: setup
	$(BIN)/lint-imports --no-cache

docs: setup
	$(BIN)/python tools/generate_docs.py

docs-check: setup
	$(BIN)/python tools/generate_docs.py --check

bench: setup $(ORACLE)
	$(BIN)/python benchmarks/run.py --full

bench-small: setup $(ORACLE)
	$(BIN)/python benchmarks/run.py --small

clean:
	rm -rf $(VENV) .venv-oracle demo out
