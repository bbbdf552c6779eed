# The two commands of the README are `make demo` and `make test`. Everything happens in .venv.
PYTHON ?= python3
PY := .venv/bin/python
NATIVE := CMakeLists.txt $(wildcard native/*/*.hpp native/*/*.cpp)
PYTEST_FLAGS ?=

.PHONY: build lint test bench sanitize clean

build: .venv/.built

.venv/.installed: pyproject.toml
	test -x $(PY) || $(PYTHON) -m venv .venv
	$(PY) -m pip install -q --disable-pip-version-check "scikit-build-core>=0.10" "nanobind>=2.4" "cmake>=3.26" "ninja>=1.11" "setuptools>=70.1" "setuptools-scm>=8"
	$(PY) -m pip install -q --disable-pip-version-check --no-build-isolation -e ".[dev]"
	touch .venv/.installed
	touch .venv/.built

.venv/.built: .venv/.installed $(NATIVE)
	$(PY) -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch .venv/.built

lint: build
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

test: lint
	$(PY) -m pytest $(PYTEST_FLAGS)

CONLL2000 ?= ../shared/data/conll2000

.venv/.bench: .venv/.installed
	$(PY) -m pip install -q --disable-pip-version-check "python-crfsuite==0.9.12" "sklearn-crfsuite==0.5.0"
	touch .venv/.bench

bench: build .venv/.bench
	$(PY) benchmarks/run.py $(CONLL2000) $(BENCH_FLAGS)

clean:
	rm -rf .venv build .mypy_cache .ruff_cache .pytest_cache .hypothesis
