# SPDX-License-Identifier: Apache-2.0
# Thin over meson: each target is one or two commands that can be typed by hand.

BUILD ?= build
FAIRLEAD = $(CURDIR)/$(BUILD)/fairlead

.DEFAULT_GOAL := help
.PHONY: help run examples build test more quick bench e2e soak analyse coverage matrix format install clean

help:
	@echo 'make run      set up, build, and share this machine among three teams for a minute'
	@echo 'make examples decide for a company and a laboratory, simulate a GPU cluster'
	@echo 'make test     set up, build, and run every test'
	@echo 'make more     random cases and faults of which make test does a part'
	@echo 'make quick    unit tests and checks of the tree only (below a minute)'
	@echo 'make bench    figures: how long a cycle, an event and a division take'
	@echo 'make soak     long random runs      make e2e      against a real control plane, and the page'
	@echo 'make analyse  look for mistakes without running anything'
	@echo 'make coverage lines and branches of the core that tests run, and why the others are not'
	@echo 'make matrix   clang, -O3 and link-time optimization print and decide the same'
	@echo 'make format   lay out the C files   make install  into PREFIX (meson install)'
	@echo 'make clean    remove the build folders'

# A folder that has become part of the build is seen only by configuring again.
MESON_FILES := $(wildcard meson.build meson_options.txt */meson.build */*/meson.build */*/*/meson.build)

$(BUILD)/build.ninja: $(MESON_FILES)
	meson setup $(if $(wildcard $@),--reconfigure) $(BUILD) $(if $(PREFIX),--prefix=$(PREFIX))
	@touch $@

run:
	@tools/bootstrap run
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	ninja -C $(BUILD) fairlead fairleadd fairlead-runner fairlead-spawn
	@FAIRLEAD=$(FAIRLEAD) examples/machine/run.sh

examples: build
	FAIRLEAD=$(FAIRLEAD) examples/company/run.sh
	FAIRLEAD=$(FAIRLEAD) examples/gpu-lab/run.sh
	FAIRLEAD=$(FAIRLEAD) examples/traces/run.sh

build:
	@tools/bootstrap run
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	ninja -C $(BUILD)

test:
	@tools/bootstrap test
	@BUILD=$(BUILD) tools/test-all

quick:
	@tools/bootstrap test
	@BUILD=$(BUILD) tools/test-all quick

bench: build
	$(BUILD)/bench/cycle bench/data/*.jsonl.gz
	$(BUILD)/bench/divide bench/data/perf-*.json.gz
	$(BUILD)/bench/entitle
	$(BUILD)/bench/entitle --leaves 1000 --machines 6000 --running 5000 --waiting 5000
	$(BUILD)/bench/event --load 70
	$(BUILD)/bench/event --load 200 --events 10000
	$(BUILD)/bench/memory --queues 1000 --jobs 100000
	$(BUILD)/bench/image --queues 1000 --jobs 100000
	$(BUILD)/bench/simulate --large 1
	bench/eta.py --fairlead $(BUILD)/fairlead --jobs 1500 --asks 20 --tree fair examples/traces/hpc2n.swf.gz

e2e: build
	@[ "$$FAIRLEAD_E2E" = skip ] || tools/bootstrap e2e
	@BUILD=$(BUILD) tests/e2e/run

more: build
	@BUILD=$(BUILD) tools/test-all more

soak: build
	@tools/soak $(BUILD)

coverage:
	@tools/bootstrap test
	@tools/coverage

matrix:
	@tools/bootstrap matrix
	@tools/matrix

analyse: build
	@tools/bootstrap analyse
	@BUILD=$(BUILD) tools/analyse

format:
	@tools/check-format.sh --fix

install: build
	meson install -C $(BUILD) --no-rebuild

clean:
	rm -rf $(BUILD) $(BUILD)-asan
