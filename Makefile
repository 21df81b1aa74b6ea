# Everything runs in a virtual environment of the checkout, which the first command makes.
#   make demo    the main job on real robots, with pictures in demo/
#   make test    all tests, native ones included
#   make nightly more random tests, sanitizers, a short benchmark
#   make bench   kido beside its peers, in one run; with the wheel's size after `make wheel`
#   make lint    style, types, stub      make docs   the web pages, in site/, looked at in a browser
#   make stub    writes src/kido/_core.pyi anew after a change of the bindings

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
WORKERS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN); echo $$((n < 8 ? n : 8)))
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
EXTRAS := demo lint docs test
SOURCES := pyproject.toml CMakeLists.txt $(shell find native src -name '*.cpp' -o -name '*.hpp' -o -name '*.py')

.PHONY: library setup requirements ci demo test test-python test-native nightly fuzz bench wheel lint stub docs clean

demo: $(VENV)/.installed-demo
	$(BIN)/python -m examples.demo

test: test-native test-python

test-python: $(VENV)/.installed-test
	$(PYTEST)

test-native: $(VENV)/.installed
	$(BIN)/cmake -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -S native/test -B build/native-test \
	  -DKIDO_NATIVE_LIBRARY=$$(ls -t $(CURDIR)/build/*/libkido_native.a | head -1)
	$(BIN)/cmake --build build/native-test --parallel $$(nproc)
	cd build/native-test && $(abspath $(BIN))/ctest --parallel $$(nproc) --output-on-failure
	$(BIN)/cmake -DOBJDUMP=objdump -DBINARY=$$($(BIN)/python -c 'import kido._core as c; print(c.__file__)') \
	  -P native/test/fuses_nothing.cmake

nightly: $(VENV)/.installed-test $(VENV)/.installed-bench
	KIDO_TEST_EFFORT=30 $(PYTEST) -m "nightly or not nightly"
	$(MAKE) sanitize
	$(MAKE) fuzz
	$(BIN)/python -m benchmarks tree --quick --robots panda
	$(BIN)/python -m benchmarks skeleton --quick --robots panda
	$(BIN)/python -m benchmarks ik --robots panda --targets 40
	$(BIN)/python -m benchmarks global --quick --robots panda
	$(BIN)/python -m benchmarks posture --quick --robots panda
	$(BIN)/python -m benchmarks lcp --quick
	$(BIN)/python -m benchmarks world --quick
	$(BIN)/python -m benchmarks soft --quick
	$(BIN)/python -m benchmarks files --quick
	$(BIN)/python -m benchmarks view --quick

# Every reader of files, each for some seconds, guided by coverage. What is found goes to tests/io/data/fuzz/.
FUZZED := urdf sdf skel mjcf json stl obj ply off dae gltf glb
FUZZ_SECONDS ?= 60

fuzz: $(VENV)/.installed-fuzz
	@mkdir -p build/fuzz
	for format in $(FUZZED); do mkdir -p build/fuzz/$$format && $(BIN)/python -W ignore tests/io/fuzz.py $$format \
	  build/fuzz/$$format -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=build/fuzz/ || exit 1; done

bench: $(VENV)/.installed-bench
	-$(BIN)/python -m pip install --quiet --only-binary :all: "kido[simulators]"  # where they have wheels
	$(BIN)/python -m benchmarks tree --markdown build/benchmark.md $(addprefix --wheel ,$(wildcard build/dist/*.whl))
	$(BIN)/python -m benchmarks skeleton --markdown build/benchmark_skeleton.md
	$(BIN)/python -m benchmarks ik --markdown build/benchmark_ik.md --figure build/benchmark_ik.png
	$(BIN)/python -m benchmarks global --markdown build/benchmark_global.md
	$(BIN)/python -m benchmarks posture --markdown build/benchmark_posture.md
	$(BIN)/python -m benchmarks lcp --markdown build/benchmark_lcp.md
	$(BIN)/python -m benchmarks files --markdown build/benchmark_files.md
	$(BIN)/python -m benchmarks soft --markdown build/benchmark_soft.md
	$(BIN)/python -m benchmarks view --markdown build/benchmark_view.md
	$(BIN)/python -m benchmarks world --markdown build/benchmark_world.md --figure build/benchmark_world.png

wheel: $(VENV)/bin/python
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/dist .

lint: $(VENV)/.installed-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m nanobind.stubgen -q -P -m kido._core -O build/stub
	diff -u src/kido/_core.pyi build/stub/_core.pyi

stub: $(VENV)/.installed-lint
	$(BIN)/python -m nanobind.stubgen -q -P -m kido._core -o src/kido/_core.pyi

docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	$(BIN)/python .ci/check_site.py site

$(VENV)/bin/python:
	@command -v g++ >/dev/null || command -v c++ >/dev/null || { \
	  echo "kido is built from source: install a C++20 compiler first (Debian: apt-get install g++ python3-dev python3-venv)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip cmake ninja

$(VENV)/.installed: $(VENV)/bin/python $(SOURCES)
	$(BIN)/python -m pip install --quiet .
	touch $@

library: $(VENV)/.installed

# All that .ci/run needs. What kido needs of others is installed while kido is compiled, for half of either leaves a
# processor idle. Bytecode is made of what is imported only.
setup: requirements wheel
	$(BIN)/python -m pip install --quiet --no-deps --no-index --find-links build/dist --force-reinstall kido
	touch $(VENV)/.installed $(EXTRAS:%=$(VENV)/.installed-%) $(VENV)/.installed-ci

$(VENV)/.installed-ci: $(VENV)/bin/python $(SOURCES)
	+$(MAKE) setup

requirements: $(VENV)/bin/python
	mkdir -p build
	$(BIN)/python .ci/requirements.py $(EXTRAS) > build/requirements.txt
	$(BIN)/python -m pip install --quiet --no-compile -r build/requirements.txt

# What .ci/run runs, two at a time: the longest begins first. The demo is run by a test, which reads what it prints.
ci: $(VENV)/.installed-ci
	+$(MAKE) test-python test-native lint docs

$(VENV)/.installed-%: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet "kido[$*]"
	touch $@

clean:
	rm -rf $(VENV) build demo site

# The native tests, built to find what reads or writes beyond its memory, what C++ leaves undefined, and races of threads.
.PHONY: sanitize sanitize-threads

SANITIZED := $(BIN)/cmake -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -S native/test

sanitize: $(VENV)/bin/python
	$(SANITIZED) -B build/sanitize -DKIDO_SANITIZE=address,undefined
	$(BIN)/cmake --build build/sanitize --parallel $$(nproc)
	cd build/sanitize && $(abspath $(BIN))/ctest --parallel $$(nproc) --output-on-failure

sanitize-threads: $(VENV)/bin/python
	$(SANITIZED) -B build/sanitize-threads -DKIDO_SANITIZE=thread
	$(BIN)/cmake --build build/sanitize-threads --parallel $$(nproc) --target kido_runtime_tests
	cd build/sanitize-threads && $(abspath $(BIN))/ctest --output-on-failure -R kido_runtime_tests
