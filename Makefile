# Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#
# Two commands do all the set-up on a fresh Debian 12: `make run` and `make test`.
prefix ?= /usr/local
DESTDIR ?=

.PHONY: help build run test test-vm bench install deb lint format fuzz clean

help:
	@echo "make run      build Ward and take the guided tour"
	@echo "make test     build and run every test, as root and as an ordinary user"
	@echo "make test-vm  as root: the tests on a stock Debian kernel, in an emulated machine"
	@echo "make build    leave the program in build/release/ward"
	@echo "make install  install it (prefix=$(prefix), DESTDIR=$(DESTDIR))"
	@echo "make deb      build a Debian package in build/release"
	@echo "make bench    measure Ward beside its peers"
	@echo "make lint     format, clang-tidy, include graph, licence, documentation"
	@echo "make format   rewrite the sources in the project's format"
	@echo "make fuzz     run each fuzz target for FUZZ_SECONDS (60)"

build:
	@scripts/install-deps build
	@cmake --preset release --log-level=WARNING -DCMAKE_INSTALL_PREFIX=$(prefix)
	@cmake --build build/release --target ward

run: build
	@scripts/tour build/release/ward

test:
	@scripts/install-deps build test toolchains
	@scripts/install-agents
	@scripts/run-tests $(TEST_FLAGS)

test-vm:
	@scripts/install-deps build test vm
	@cmake --preset release --log-level=WARNING
	@cmake --build build/release
	@tests/vm/run $(TEST_FLAGS)

bench: build
	@scripts/install-deps bench
	@bench/run build/release/ward

install: build
	@DESTDIR=$(DESTDIR) cmake --install build/release --prefix $(prefix)

deb: build
	@cd build/release && cpack -G DEB

lint:
	@scripts/install-deps build test lint
	@scripts/check-all

format:
	@scripts/install-deps lint
	@scripts/format --write

fuzz:
	@scripts/install-deps build test lint
	@scripts/fuzz $${FUZZ_SECONDS:-60}

clean:
	rm -rf build
