# Needs Java 17 or newer (a JDK), Python 3.10 or newer with venv, git and make; gets the rest itself.
# `make` alone lists the targets.

PYTHON ?= python3
# The Spark versions that test-python runs on: `make test-python SPARK=4.2` for one of them.
# 4.2 comes first, because its tests take longest; two processes share them.
SPARK ?= 4.2 4.1 4.3
# So many versions are tested at the same time. Each process takes up to 3 GB.
JOBS ?= 3
# With SLOW=1, the tests run too that take minutes of their own, such as those of a cluster.
SLOW ?=
# Arguments for pytest and for sbt's test commands (`SUITE='*PathSuite'`).
PYTEST ?=
SUITE ?=
# The benchmark, one of jvm/bench: made-up events (or JSON=file), how often each way is timed; or one
# of JMH's; or a script: Goals, Requests, Planning, Memory, ExistingTables, Cluster, Growth.
BENCH ?= ReadBenchmark
EVENTS ?= 500000
RUNS ?= 7
JMH ?=
# How many queries `make fuzz-queries` asks, and how long the other two run, `make fuzz-bytes` for each
# target; the seed, by the clock if there is none; one case of an earlier run, one input in a file.
QUERIES ?= 100000
SECONDS ?= 600
SEED ?=
CASE ?=
TARGET ?= all
INPUT ?=
# The Maven repository of `make publish-local`: a directory.
REPOSITORY ?= $(HOME)/.m2/repository
# The input of the demo or the benchmark: a JSON-lines file or directory; several files for Goals.
JSON ?=

SBT := project/sbt
SCRIPT := $(wildcard tests/python/$(shell echo $(BENCH) | tr A-Z a-z)_benchmark.py)
# Iceberg has a runtime for Spark 4.1.
BENCH_VENVS := 4.2 $(if $(filter ExistingTables,$(BENCH)),4.1)
DEV := .venvs/dev
PUBLISHED := target/maven
# Its time is that of the documentation that `make lint` has made.
DOCUMENTED := jvm/target/documented
VERSION := $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' python/src/variant_shredded/_version.py)
JAR := $(CURDIR)/jvm/target/variant-shredded-spark_2.13-$(VERSION).jar
WHEEL := dist/variant_shredded-$(VERSION)-py3-none-any.whl

# Directories are listed too: their times tell of files that came or went.
BUILD := build.sbt $(wildcard project/*.sbt project/*.scala) project/build.properties project/repositories
JAR_SOURCES := $(BUILD) LICENSE python/src/variant_shredded/_version.py $(shell find jvm/src/main)
WHEEL_SOURCES := python/pyproject.toml python/hatch_build.py python/README.md LICENSE \
  $(shell find python/src -name __pycache__ -prune -o -type f -print)

TEST_VENVS := $(SPARK:%=.venvs/spark-%/.done)
JVM_TESTS := "jvm=$(SBT) $(if $(SUITE),'jvm/testOnly $(SUITE)',jvm/test)"
SPARK_TESTS := "spark's own=$(SBT) $(if $(SUITE),'sparkTests/testOnly $(SUITE)',sparkTests/test)" \
  "with the extension=$(SBT) $(if $(SUITE),'takeOverTests/testOnly $(SUITE)',takeOverTests/test)"
SHORT_SPARK_TESTS := "spark's own=$(SBT) 'sparkTests/testOnly *.quick.* *.ExpectedFailuresSuite' \
  'takeOverTests/testOnly *.VariantShreddingSuite'"
SHARED_TESTS = $(if $(filter 4.2,$(1)),-n 2 --dist loadfile --no-loadscope-reorder)
PYTHON_TESTS := $(foreach v,$(SPARK),"pyspark $(v)=.venvs/spark-$(v)/bin/python -m pytest $(call SHARED_TESTS,$(v)) $(PYTEST)")

PUBLISH = 'set jvm/publishTo := Some(MavenCache("published", file("$(1)")))'
# Not empty if `make lint` has documented the sources as they are.
IS_DOCUMENTED = $(and $(wildcard $(DOCUMENTED)),$(if \
  $(shell find $(JAR_SOURCES) -maxdepth 0 -newer $(DOCUMENTED)),,yes))

export SLOW
export VARIANT_SHREDDED_JAR := $(JAR)
export VARIANT_SHREDDED_REPOSITORY := $(CURDIR)/$(PUBLISHED)
export VARIANT_SHREDDED_WHEEL := $(CURDIR)/$(WHEEL)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL: # sbt takes what cores there are, and two of them in one checkout get in each other's way
.PHONY: help demo environments test test-jvm test-spark test-python jar wheel lint fmt bench bench-peers fuzz-queries fuzz-faults fuzz-bytes docs publish-local clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | while IFS='|' read -r name what; do \
	  printf '%-18s %s\n' "$$name" "$$what"; done

demo: $(JAR) $(DEV)/.done ## load JSON as Variant, write it shredded, read it back [JSON=path]
	@PYTHONPATH=python/src:examples $(DEV)/bin/python -m demo $(if $(JSON),"$(JSON)")

environments: $(TEST_VENVS)

test: $(JAR) $(WHEEL) $(PUBLISHED)/.done $(TEST_VENVS) ## run the tests, and the short ones of test-spark [SLOW=1]
	@$(PYTHON) tests/run.py $(JVM_TESTS) --jobs=$(JOBS) $(PYTHON_TESTS) $(SHORT_SPARK_TESTS)

test-jvm: $(DEV)/.done ## run the Scala tests [SUITE='*NameSuite']
	@$(PYTHON) tests/run.py $(JVM_TESTS)

test-spark: $(DEV)/.done ## run Spark's own tests with this format in the place of parquet [SUITE='*NameSuite']
	@$(PYTHON) tests/run.py $(SPARK_TESTS)

test-python: $(JAR) $(WHEEL) $(PUBLISHED)/.done $(TEST_VENVS) ## run the Python tests on the packed JAR [SPARK='4.2 4.1 4.3'] [PYTEST=arguments] [JOBS=3]
	@$(PYTHON) tests/run.py --jobs=$(JOBS) $(PYTHON_TESTS)

jar: $(JAR) ## build the JAR; the last line of output is its path
	@echo "$(JAR)"

wheel: $(WHEEL) ## build the Python wheel, with the JAR inside
	@echo "$(CURDIR)/$(WHEEL)"

lint: $(DEV)/.done ## check formats, compiler warnings (all are errors), Python style and types
	$(DEV)/bin/ruff check python examples tests docs/*.py
	$(DEV)/bin/ruff format --check python examples tests docs/*.py
	$(DEV)/bin/python docs/api_page.py --check
	$(DEV)/bin/mypy --python-executable $(DEV)/bin/python & types=$$!; \
	  $(SBT) "all scalafmtCheckAll scalafmtSbtCheck Test/compile bench/Jmh/compile jvm/doc" && \
	  touch $(DOCUMENTED) && wait $$types

fmt: $(DEV)/.done ## format all sources
	$(SBT) scalafmtAll scalafmtSbt
	$(DEV)/bin/ruff check --fix --exit-zero python examples tests docs/*.py
	$(DEV)/bin/ruff format python examples tests docs/*.py
	$(DEV)/bin/python docs/api_page.py

bench: $(if $(SCRIPT),$(JAR) $(BENCH_VENVS:%=.venvs/spark-%/.done),$(DEV)/.done) ## time reading against Spark's Parquet source [BENCH=WholeVariantBenchmark] [EVENTS=500000] [RUNS=7] [JSON=file] [JMH='name -f 1 ...']
ifneq ($(SCRIPT),)
	PYTHONPATH=python/src .venvs/spark-4.2/bin/python $(SCRIPT) $(EVENTS) $(RUNS) $(JSON)
else
	$(SBT) "$(if $(JMH),bench/Jmh/run $(JMH),bench/runMain io.github.variantshredded.bench.$(BENCH) $(EVENTS) $(RUNS) $(JSON))"
endif

bench-peers: $(JAR) .venvs/peers/.done ## time the same events in this source, in Spark's, DuckDB and ClickHouse [EVENTS=1000000] [RUNS=3] [JSON=file]
	PYTHONPATH=python/src .venvs/peers/bin/python tests/python/peers_benchmark.py $(EVENTS) $(RUNS) $(JSON)

fuzz-queries: $(DEV)/.done ## compare random queries of random files with Spark's answers [QUERIES=100000] [SEED=number] [CASE=round.query]
	$(SBT) 'jvm/Test/runMain io.github.variantshredded.fuzz.FuzzQueries $(QUERIES) "$(SEED)" "$(CASE)"'

fuzz-faults: $(DEV)/.done ## let jobs fail or end at every operation on files [SECONDS=600] [SEED=number] [CASE='regular expression']
	$(SBT) 'jvm/Test/runMain io.github.variantshredded.fault.FaultFuzz $(SECONDS) "$(SEED)" "$(CASE)"'

fuzz-bytes: $(DEV)/.done ## give bytes to parts of the source under a coverage-guided fuzzer [TARGET=variants|files|texts|all] [SECONDS=600] [SEED=number] [INPUT=file]
	$(SBT) "jvm/Test/runMain io.github.variantshredded.fuzz.bytes.FuzzBytes $(TARGET) $(if $(INPUT),$(INPUT),$(SECONDS)) $(SEED)"

docs: .venvs/docs/.done ## build the documentation as a site, in site/; without a network
	NO_MKDOCS_2_WARNING=1 .venvs/docs/bin/mkdocs build --quiet
	@echo "$(CURDIR)/site/index.html"

publish-local: $(DEV)/.done ## put JAR, sources, documentation and POM into a Maven repository [REPOSITORY=~/.m2/repository]
	$(SBT) $(call PUBLISH,$(abspath $(REPOSITORY))) jvm/publish

clean: ## remove what was built; keeps .venvs
	rm -rf dist target project/target project/project jvm/target jvm/bench/target tests/spark/target tests/takeover/target
	rm -rf site .hypothesis .mypy_cache .ruff_cache spark-warehouse metastore_db derby.log

# After `make lint` the same sbt publishes too, with the documentation that is there; sbt would make
# it again. The first touch is for an sbt that finds nothing to do: the JAR is up to date then,
# whatever its time.
$(JAR): $(JAR_SOURCES) | $(DEV)/.done
	$(SBT) jvm/assembly $(if $(IS_DOCUMENTED),\
	  $(call PUBLISH,$(CURDIR)/$(PUBLISHED)) 'set jvm/Compile/doc := (jvm/Compile/doc/target).value' jvm/publish)
	@touch $@
	@$(if $(IS_DOCUMENTED),touch $(PUBLISHED)/.done)

$(PUBLISHED)/.done: $(JAR)
	$(MAKE) publish-local REPOSITORY=$(CURDIR)/$(PUBLISHED)
	@touch $@

$(WHEEL): $(JAR) $(WHEEL_SOURCES) | $(DEV)/.done
	rm -rf dist
	cd python && ../$(DEV)/bin/python -m hatchling build -t wheel -d ../dist

# A virtual environment is made anew when its requirements change; .done comes last, so that
# what is left of an interrupted installation is not taken for a whole one.
.venvs/%/.done: python/requirements-%.txt python/requirements-test.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "$(PYTHON) is older than Python 3.10; name another: make PYTHON=..." >&2; exit 1; }
	rm -rf .venvs/$*
	$(PYTHON) -m venv .venvs/$*
	DIST_EXTRA_CONFIG=$(CURDIR)/python/wheels.cfg \
	  .venvs/$*/bin/python -m pip install --disable-pip-version-check --no-compile --quiet -r $<
	@touch $@

$(DEV)/.done: python/requirements-spark-4.2.txt
