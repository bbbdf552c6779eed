# The two commands of the README are `make demo` and `make test`. Everything happens in .venv.
PYTHON ?= python3
PY := .venv/bin/python
PIP := $(PY) -m pip install -q --disable-pip-version-check
NATIVE := CMakeLists.txt $(shell find native -name '*.hpp' -o -name '*.cpp')
PYTEST_FLAGS ?= -n auto --dist worksteal
unexport PYTHONDONTWRITEBYTECODE  # tests start Python a thousand times; it need not compile each time

.PHONY: build tools demo paper lint ruff types layers pytest quick browser clang spark schemathesis test thorough fuzz hunt reference docs bench \
    scale bench-serve oldest wheel sdist sbom requirements container sanitize threadsanitize sanitize-part clean

# Each done once: what the demo needs (.ready), the native modules (.built), the same with the module that only tests call
# (.testing), and what developers need besides (.installed). A fresh clone compiles once, whichever of the two it asks for,
# and installs packages while the compiler runs. Python compiles a module of those when it first imports it; most it never does.
BUILT := $(or $(wildcard .venv/.testing),.venv/.built)
COMPILE_MODULES = $(PIP) --no-build-isolation --no-deps -e .

build: $(BUILT)

.venv/.ready: pyproject.toml scripts/dependencies.py
	test -x $(PY) || $(PYTHON) -m venv .venv
	$(PY) scripts/dependencies.py build plots serve > .venv/ready.txt
	$(PIP) -r .venv/ready.txt
	touch .venv/.ready

.venv/.built: .venv/.ready $(NATIVE)
	TAGFIELD_TESTING=OFF $(COMPILE_MODULES)
	touch .venv/.built

.venv/.testing: .venv/.ready $(NATIVE)
	TAGFIELD_TESTING=ON $(COMPILE_MODULES)
	touch .venv/.built .venv/.testing

.venv/.installed: .venv/.ready
	$(PY) scripts/dependencies.py dev > .venv/installed.txt
	$(PIP) --no-compile -r .venv/installed.txt
	touch .venv/.installed

tools:
	@$(MAKE) --no-print-directory -j 2 .venv/.testing .venv/.installed

# From a file of words and labels to labelled text, then a comparison of the recipes; no data files, no network. DEMO is the
# folder it writes to.
DEMO ?= build/demo

demo: build
	.venv/bin/tagfield demo-data addresses -o $(DEMO) --train 1500 --test 500 --force
	@echo "$$ head -8 $(DEMO)/train.txt"; head -8 $(DEMO)/train.txt
	.venv/bin/tagfield train $(DEMO)/train.txt --dev $(DEMO)/test.txt -o $(DEMO)/model
	@echo
	@echo "The labelled text:"
	@.venv/bin/tagfield tag -m $(DEMO)/model --text --format inline $(DEMO)/new.txt
	@echo
	.venv/bin/tagfield errors -m $(DEMO)/model $(DEMO)/test.txt --train $(DEMO)/train.txt -o $(DEMO)/errors.html --quiet
	rm -rf $(DEMO)/comparison
	@echo; echo "For researchers, a few seconds: a comparison of four recipes of docs/recipes.md on the same file."
	.venv/bin/tagfield compare --train $(DEMO)/train.txt --test $(DEMO)/test.txt --name addresses --recipes sgd,u2.g1,u2.g3,adaptive \
	    --features all --seeds 2 --epochs 6 --report -o $(DEMO)/comparison
	@echo
	@echo "The command is .venv/bin/tagfield; \". .venv/bin/activate\" makes it just tagfield."
	@echo
	@echo "Open the pages in your browser: the model's errors, and the comparison of the recipes."
	@echo "  .venv/bin/python -m webbrowser \"file://$(abspath $(DEMO))/errors.html\""
	@echo "  .venv/bin/python -m webbrowser \"file://$(abspath $(DEMO))/comparison/report/index.html\""
	@echo
	@echo "Label text of your own as you type: start the service, then open http://127.0.0.1:8000 in your browser. Ctrl-C stops it."
	@echo "  .venv/bin/tagfield serve $(DEMO)/model"

# One process cannot fill two cores, so the checks run side by side, and `make test` runs them beside the tests.
CHECKS := ruff types layers

lint: tools
	@$(MAKE) --no-print-directory -j 3 $(CHECKS)

ruff:
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

types:
	.venv/bin/mypy

layers:
	.venv/bin/lint-imports

pytest:
	$(PY) -m pytest $(PYTEST_FLAGS) -m "not slow"

# While you work: lint, types and the tests of what you changed, in under a minute.
quick: tools
	$(PY) scripts/quick.py $(QUICK_FLAGS)

# Chromium for the tests of pages (tests/*/test_page.py). `make test` tries once and goes on without it; `make browser` tries again.
browser:
	scripts/install-browser
	touch .venv/.browser

.venv/.browser: .venv/.installed
	-scripts/install-browser && touch .venv/.browser

# Clang for `make fuzz`, in the same way.
clang:
	scripts/install-clang
	touch .venv/.clang

.venv/.clang: .venv/.installed
	-scripts/install-clang && touch .venv/.clang

# PySpark for the test of docs/arrow.md, in the same way: half a gigabyte, so it is not in the extra dev. It needs Java.
spark:
	$(PY) -m pip install -q --disable-pip-version-check "pyspark>=4"
	touch .venv/.spark

.venv/.spark: .venv/.installed
	-command -v java >/dev/null && $(PY) -m pip install -q --disable-pip-version-check "pyspark>=4" && touch .venv/.spark

# Schemathesis for `make fuzz`, in the same way, in a virtualenv of its own: it is a plugin of pytest, which takes a second of
# every run.
SCHEMATHESIS := $(PYTHON) -m venv build/schemathesis && build/schemathesis/bin/python -m pip install -q \
    --disable-pip-version-check "schemathesis>=4,<5"

schemathesis:
	$(SCHEMATHESIS)
	touch .venv/.schemathesis

.venv/.schemathesis: .venv/.installed
	-$(SCHEMATHESIS) && touch .venv/.schemathesis

test: tools .venv/.browser .venv/.clang
	@$(MAKE) --no-print-directory -j 4 $(CHECKS) pytest
	$(PY) scripts/fuzz.py --seconds 20 --seed 1

# What `.ci/run` runs after `make test`, a line for each part: the tests that are marked slow, every example that the tests of
# hypothesis ask for (`make test` draws a share), more fuzzing, and the first rounds of `make hunt`.
thorough: tools .venv/.browser .venv/.clang .venv/.spark .venv/.schemathesis
	$(PY) -m pytest $(PYTEST_FLAGS) -m "slow or hypothesis" --hypothesis-profile=thorough
	$(PY) scripts/fuzz.py --seconds $(FUZZ_SECONDS) --seed 2
	$(PY) scripts/hunt.py answers words races conversions swaps --seconds 100 --rounds 70 --seed 1
	$(PY) scripts/hunt.py misuse --seconds 600 --rounds 100 --seed 1

# Random inputs for everything that reads files, all targets at once; a table, and exit 1 on a finding. FUZZ_FLAGS takes
# names of targets, and --sanitized for the modules of `make sanitize`.
FUZZ_SECONDS ?= 60

fuzz: tools .venv/.clang .venv/.schemathesis
	$(PY) scripts/fuzz.py --seconds $(FUZZ_SECONDS) $(FUZZ_FLAGS)

# Random models against all their paths, wrong calls and races, an hour; a table, and exit 1 on a finding. HUNT_FLAGS takes
# names of kinds and --seed.
HUNT_SECONDS ?= 3600

hunt: tools
	$(PY) scripts/hunt.py --seconds $(HUNT_SECONDS) $(HUNT_FLAGS)

# docs/options.md, which a test compares with the options themselves.
reference: build
	$(PY) -m tagfield.train.recipes.reference > docs/options.md

# The documentation site in build/site: open build/site/index.html. Dead links and names that are not there end the build.
docs: tools
	$(PY) scripts/pages.py notebook
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict --quiet
	@echo "The site: open build/site/index.html in a browser."

CONLL2000 ?= ../shared/data/conll2000

.venv/.bench: .venv/.installed
	$(PY) -m pip install -q --disable-pip-version-check "python-crfsuite==0.9.12" "sklearn-crfsuite==0.5.0"
	touch .venv/.bench

# The article docs/paper.md and docs/results.md: about half an hour on two cores. Stopped and started again, it goes on. PAPER_DATA has
# conll2000, wnut17, ewt_xpos and ingredients; PAPER_FLAGS="--only table" runs one study and prints its claims, PAPER_FLAGS=--small
# tries everything on built-in corpora and writes build/paper-small/paper.md.
PAPER_DATA ?= $(dir $(CONLL2000))

paper: build
	$(PY) -m studies $(PAPER_DATA) --publish docs/paper.md $(PAPER_FLAGS)
	$(PY) examples/fisher_matrix.py docs/figures/fisher.png

bench: build .venv/.bench
	$(PY) benchmarks/run.py $(CONLL2000) $(BENCH_FLAGS)
	$(PY) benchmarks/updates.py $(CONLL2000) $(BENCH_FLAGS)
	$(PY) benchmarks/estimator.py $(CONLL2000) $(BENCH_FLAGS)
	$(PY) benchmarks/words.py $(CONLL2000) $(BENCH_FLAGS)
	$(PY) benchmarks/switch.py $(CONLL2000) $(BENCH_FLAGS)
	$(PY) benchmarks/edges.py $(CONLL2000) $(BENCH_FLAGS)
	$(PY) benchmarks/scale.py $(CONLL2000) $(BENCH_FLAGS)

# Only the tables of docs/scale.md: threads, labels, long corpora, L-BFGS, single sentences, Arrow, a cluster. Some of them by
# name: make scale BENCH_FLAGS="--only threads,labels".
scale: build .venv/.bench
	$(PY) benchmarks/scale.py $(CONLL2000) $(BENCH_FLAGS)

# The service under load from the same machine; with wrk (Debian's package) where it is installed.
bench-serve: build
	$(PY) benchmarks/serve.py --soak 600 $(BENCH_FLAGS)

# The estimator with the oldest versions that pyproject.toml allows of what it stands on, in a virtualenv of its own. The wheel
# has the kernels of this machine alone.
OLDEST := build/oldest/bin/python
OLDEST_TESTS ?= tests/compat/sklearn tests/test_metrics.py tests/data/test_encode.py tests/data/text/encoders tests/train \
    tests/model/test_model.py tests/model/test_explain.py

oldest: tools
	test -x $(OLDEST) || $(PYTHON) -m venv build/oldest
	TAGFIELD_KERNELS=native $(PY) -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w build/wheel .
	$(OLDEST) -m pip install -q --disable-pip-version-check pytest hypothesis "safetensors>=0.4.3" seqeval typer rich \
	    python-crfsuite==0.9.12 sklearn-crfsuite==0.5.0 $$($(PY) -c 'import tomllib; \
	    project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	    bounds = project["dependencies"] + project["optional-dependencies"]["sklearn"]; \
	    print(*(bound.replace(">=", "==") for bound in bounds if bound.startswith(("numpy", "scipy", "scikit")) and ";" not in bound))')
	$(OLDEST) -m pip install -q --disable-pip-version-check --no-deps --force-reinstall build/wheel/tagfield-*.whl
	$(OLDEST) -m pytest -m "not slow" -p no:cacheprovider $(OLDEST_TESTS)

# A release, as docs/releasing.md tells; everything goes to dist/. The tools have exact versions and hashes, in a virtualenv of
# their own. `make wheel` builds for this Python and machine, checks the wheel and tries it in a bare virtualenv.
TOOLS := build/release/tools
RELEASE := $(TOOLS)/bin/python

$(TOOLS)/.installed: requirements/release.txt
	test -x $(RELEASE) || $(PYTHON) -m venv $(TOOLS)
	$(RELEASE) -m pip install -q --disable-pip-version-check --require-hashes -r requirements/release.txt
	touch $(TOOLS)/.installed

wheel: $(TOOLS)/.installed
	$(RELEASE) scripts/wheel.py

sdist: $(TOOLS)/.installed
	$(RELEASE) scripts/sdist.py $(SDIST_FLAGS)
	$(RELEASE) -m twine check --strict dist/*.tar.gz

# What is installed with the wheel, as CycloneDX: the virtualenv of `make wheel`.
sbom: $(TOOLS)/.installed
	test -x build/release/bare/bin/python || $(RELEASE) scripts/wheel.py
	$(RELEASE) -m cyclonedx_py environment --pyproject pyproject.toml --mc-type library --output-reproducible \
	    --output-format JSON --output-file dist/tagfield.cdx.json build/release/bare/bin/python

# requirements/*.txt again, with the newest versions. Run it with the oldest Python of pyproject.toml; no index is written down.
COMPILE := $(TOOLS)/bin/pip-compile -q --upgrade --generate-hashes --allow-unsafe --strip-extras --no-header --no-emit-options \
    --no-emit-index-url --no-emit-find-links --no-emit-trusted-host

requirements: $(TOOLS)/.installed
	for name in build wheels windows release; do $(COMPILE) -o requirements/$$name.txt requirements/$$name.in || exit 1; done
	$(COMPILE) --extra serve -o requirements/serve.txt pyproject.toml

# The image of `tagfield serve`, with Podman or Docker.
CONTAINER ?= $(shell command -v podman || command -v docker)

container:
	$(CONTAINER) build -f Containerfile -t tagfield:$$($(PYTHON) -c "import sys; sys.path.insert(0, 'scripts'); \
	    from release_notes import source_version; print(source_version())") .

# The native code again, with AddressSanitizer and UBSan, under the tests that lean on it. What a sanitizer finds is printed at
# the end, and is in build/sanitize/reports. SANITIZE_KERNELS=base tests the kernels for any processor; avx2, avx512 and all
# are the other choices.
SANITIZE_KERNELS ?= native
SANITIZE_TESTS ?= tests/native tests/data tests/weights tests/inference tests/train tests/model tests/fuzz \
    tests/bregman/test_tables.py tests/system/test_threads.py tests/compat/sklearn/test_decoding.py tests/compat/pycrfsuite

sanitize: tools
	$(PY) scripts/sanitize.py address --kernels $(SANITIZE_KERNELS) $(SANITIZE_FLAGS) $(SANITIZE_TESTS)

# The same with ThreadSanitizer, under the tests that run several threads. It sees the native modules and every lock, so
# the interpreter's own lock counts; the interpreter itself is not watched. A process may not be made small under it, and a
# fork keeps no threads, so two tests are left out.
THREAD_TESTS ?= tests/native tests/system/test_threads.py tests/system/test_interpreter.py tests/data/text tests/model/arrow \
    tests/model/test_model.py tests/train tests/compat/sklearn/test_decoding.py
NOT_UNDER_THREADS := -k "not may_not_start_more_threads and not fork and not spawned"

threadsanitize: tools
	$(PY) scripts/sanitize.py thread --kernels $(SANITIZE_KERNELS) $(SANITIZE_FLAGS) $(NOT_UNDER_THREADS) $(THREAD_TESTS)

# A part of both sanitizers, for CI: it compiles less, and in part without optimisation (scripts/sanitize.py, --part). Where the
# compiler has no sanitizers, it prints a line for each and goes on.
PART_TESTS ?= tests/native/test_vectors.py tests/native/test_blocks.py tests/native/test_decode.py tests/native/test_edge_lattice.py \
    tests/native/test_gather.py tests/native/test_places.py tests/native/test_sequence.py tests/train/trainers/test_minibatch.py
PART_THREAD_TESTS ?= tests/native/test_vectors.py tests/system/test_threads.py \
    tests/train/test_blocks.py::test_unknown_labels_and_constraints_keep_the_bits \
    tests/train/test_blocks.py::test_class_weights_and_sparse_rows_keep_the_bits \
    "tests/train/test_same_bits.py::test_the_arrays_of_the_model_file_are_the_same[c1]"

sanitize-part: tools
	$(PY) scripts/sanitize.py address --part --kernels $(SANITIZE_KERNELS) $(SANITIZE_FLAGS) $(PART_TESTS)
	$(PY) scripts/sanitize.py thread --part --kernels $(SANITIZE_KERNELS) $(SANITIZE_FLAGS) $(NOT_UNDER_THREADS) $(PART_THREAD_TESTS)

clean:
	rm -rf .venv build .mypy_cache .ruff_cache .pytest_cache .hypothesis
