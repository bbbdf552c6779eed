# The two commands of the README are `make demo` and `make test`. Everything happens in .venv.
PYTHON ?= python3
PY := .venv/bin/python
NATIVE := CMakeLists.txt $(wildcard native/*/*.hpp native/*/*.cpp)
PYTEST_FLAGS ?=

.PHONY: build demo paper lint test bench sanitize clean

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

# The comparison on the built-in corpus: no data files, no network. DEMO is the folder it writes to.
DEMO ?= build/demo

demo: build
	.venv/bin/tagfield demo-data addresses -o $(DEMO) --train 1500 --test 500 --force
	rm -rf $(DEMO)/comparison
	.venv/bin/tagfield compare --train $(DEMO)/train.txt --test $(DEMO)/test.txt --name addresses --recipes paper,adaptive \
	    --features all --seeds 3 --epochs 12 --report -o $(DEMO)/comparison
	@echo
	@echo "Open $(DEMO)/comparison/report/index.html in a browser. What to try next:"
	@echo "  .venv/bin/tagfield train $(DEMO)/train.txt --dev $(DEMO)/test.txt -o $(DEMO)/model"
	@echo "  .venv/bin/tagfield tag -m $(DEMO)/model $(DEMO)/test.txt | head"
	@echo "  .venv/bin/tagfield fetch conll2000, and then: make paper CONLL2000=<the folder that it prints>"

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

# The paper's table and figures: 8 recipes x 2 feature sets x 5 shuffles x 50 epochs. Ended and started again, it goes on.
paper: build
	.venv/bin/tagfield compare --train $(CONLL2000)/train.txt --test $(CONLL2000)/test.txt --name "CoNLL-2000 chunking" \
	    --recipes paper --features observed,all --seeds 5 --epochs 50 -o build/paper
	.venv/bin/tagfield report build/paper --publish docs/results.md

bench: build .venv/.bench
	$(PY) benchmarks/run.py $(CONLL2000) $(BENCH_FLAGS)
	$(PY) benchmarks/estimator.py $(CONLL2000) $(BENCH_FLAGS)

clean:
	rm -rf .venv build .mypy_cache .ruff_cache .pytest_cache .hypothesis
