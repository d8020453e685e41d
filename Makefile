# `make` alone lists the targets.
.DEFAULT_GOAL := help
.PHONY: help run build test format lint tsan asan bench bench-quick coverage loc image image-test clean

# Arguments for the server: make run ARGS="--port 9000"
ARGS ?=
# Arguments for the benchmark's rig: make bench-quick BENCH="--only broadcast rest"
BENCH ?=
# Arguments for `swift test` in the sanitizer targets: make tsan TESTS="--filter HubTests"
TESTS ?=
IMAGE ?= runcast

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## install what is missing, build and start the server; ARGS="--port 9000"
	@scripts/install-packages.sh build
	@swift build -c release --product runcast
	@exec "$$(swift build -c release --show-bin-path)/runcast" serve $(ARGS)

build: ## install what is missing and build for debugging
	@scripts/install-packages.sh build
	swift build

test: ## install what the tests need and run every test
	@scripts/test.sh

format: ## format the Swift sources in place
	@scripts/format.sh

lint: ## fail where the Swift sources differ from .swift-format
	@scripts/format.sh --check

tsan: ## run the Swift tests under the thread sanitizer
	swift test --sanitize=thread -Xswiftc -DTSAN --scratch-path .build/tsan $(TESTS)

asan: ## run the Swift tests under the address sanitizer, with leak detection
	ASAN_OPTIONS=detect_leaks=1 \
	swift test --sanitize=address --disable-xctest --scratch-path .build/asan $(TESTS)

bench: ## measure beside other servers and write docs/performance.md; BENCH="--only broadcast"
	@scripts/bench.sh --write $(BENCH)

bench-quick: ## the same in a few minutes, to the terminal only
	@scripts/bench.sh --quick $(BENCH)

coverage: ## run the Swift tests and show what they reach
	@scripts/coverage.sh

loc: ## lines of code per module
	@scripts/loc.sh

image: ## build the container image with docker, podman or buildah; IMAGE=name
	@scripts/image.sh $(IMAGE)

image-test: ## prove that the image builds, runs and stops; needs no registry
	@scripts/image-test.sh

clean: ## remove what was built
	rm -rf .build .venv
