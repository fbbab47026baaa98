# Tests. `make test` runs all and ends with a line of counts; each part can be run alone.

LINT_DEBS := clang-format shellcheck codespell python3
TEST_DEBS := $(LINT_DEBS) g++ bpftrace socat curl prometheus nats-server openssl strace netcat-openbsd jq sqlite3 findutils libclang-rt-14-dev iproute2 nftables tmux \
	redis-server redis-tools glusterfs-server glusterfs-client zookeeper nginx-light haproxy default-jre-headless \
	xfsprogs btrfs-progs qemu-system-x86 busybox-static cpio kmod xz-utils zsh man-db lintian debhelper postgresql tcpdump bindfs \
	chromium graphviz libxml2-utils bsdutils python3-jsonschema $(if $(shell command -v npm),,npm)
# Files of C of these folders, and of those below them.
below     = $(wildcard $(foreach d,$(1),$(d)/$(2) $(d)/*/$(2) $(d)/*/*/$(2)))
UNIT     := $(patsubst %.c,$(B)/%,$(call below,tests/unit,test_*.c))
LIVE     := $(patsubst %.c,$(B)/%,$(call below,tests/live,test_*.c))
SUPPORT  := $(patsubst %.c,$(B)/obj/%.o,$(wildcard tests/support/*.c))
# tests/FOLDER/main_NAME.c is the program build/tests/NAME.
MAINS    := $(call below,tests,main_*.c)
TESTMAINS := $(patsubst main_%.c,$(B)/tests/%,$(notdir $(MAINS)))
# tests/programs/FOLDER/NAME.c is build/tests/programs/NAME; ways has several files.
WATCHED  := $(filter-out $(call below,tests/programs,ways*.c),$(call below,tests/programs,*.c))
PROGRAMS := $(patsubst %.c,$(B)/tests/programs/%,$(notdir $(WATCHED))) $(B)/tests/programs/ways
GOLDENS  := $(wildcard tests/golden/*/*.t)

$(B)/obj/tests/%.o: tests/%.c | $(GENHDR)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) -DRN_VERSION='"$(VERSION)"' -c -o $@ $<
$(B)/tests/unit/%: $(B)/obj/tests/unit/%.o $(SUPPORT) $(B)/internal.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(LIBS) -lcmocka
$(B)/tests/live/%: $(B)/obj/tests/live/%.o $(SUPPORT) $(B)/internal.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(LIBS) -lcmocka
# Programs that make known calls: compiled plainly, they are what is watched. Without its library, the one that uses TLS says so.
$(B)/tests/programs/tls: LINKED := $(shell pkg-config --exists libssl libcrypto 2>/dev/null && echo -lssl -lcrypto || echo -DNO_TLS)
$(foreach f,$(WATCHED),$(eval $(patsubst %.c,$(B)/tests/programs/%,$(notdir $(f))): $(f)))
$(patsubst %.c,$(B)/tests/programs/%,$(notdir $(WATCHED))):
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -O1 -g -Wall -o $@ $< $(LINKED) -lpthread
# All ways payload moves, in several files.
$(B)/tests/programs/ways: $(call below,tests/programs,ways*.[ch])
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wshadow -Wno-missing-field-initializers $(if $(CI),-Werror) -o $@ $(filter %.c,$^) -lpthread -lssl -lcrypto
$(foreach f,$(MAINS),$(eval $(patsubst main_%.c,$(B)/tests/%,$(notdir $(f))): $(f:%.c=$(B)/obj/%.o)))
$(TESTMAINS): $(SUPPORT) $(B)/internal.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(SANFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)

test-build: all $(UNIT) $(LIVE) $(PROGRAMS) $(TESTMAINS) ## builds what the tests run
test-golden: $(B)/tests/golden ## the goldens alone
	$(B)/tests/golden $(GOLDENS)
test-unit: $(UNIT) ## the unit tests alone
	@tests/runner/run.sh $(B) unit
# Unmodified systems on the nodes of a lab, asked where tagged data goes.
test-systems: ## GlusterFS, ZooKeeper, Redis and others on nodes of a lab
	@tests/runner/deps.sh $(DEBS) $(TEST_DEBS)
	@$(MAKE) --no-print-directory -j$(shell nproc) test-build
	@tests/runner/run.sh $(B) systems
# Each case of docs/cases again, in build/cases: those whose programs are installed. ONLY="NAME..." for some, STRACE=1 as the committed ones were made.
cases: all ## the recordings and pictures of docs/cases again, in build/cases (ONLY=NAME, STRACE=1)
	@B=$(B) STRACE=$(STRACE) docs/cases/all.sh $(ONLY)
.PHONY: cases
# Three kernels that share no clock, two of them in virtual machines; functions of the kernel on both of these.
test-kernels: ## clocks of three kernels, and functions, on kernels in virtual machines
	@tests/runner/deps.sh $(DEBS) $(TEST_DEBS)
	@$(MAKE) --no-print-directory -j$(shell nproc) test-build
	@tests/runner/run.sh $(B) kernels
.PHONY: test-systems test-kernels
# What is built with sanitizers is a build of its own: build/san.
test-san: ## goldens, units and the differential oracle with the sanitizers
	@$(MAKE) --no-print-directory SAN=1 build/san/tests/golden build/san/tests/diff build/san/tests/gen_trace \
		$(UNIT:$(B)/%=build/san/%)
	@tests/runner/run.sh build san
.PHONY: test-san
# So are threads: build/tsan, a minute, only what the two tests of threads need.
test-tsan-build:
	@$(MAKE) --no-print-directory B=build/tsan SANFLAGS=-fsanitize=thread build/tsan/tests/api_threads build/tsan/runnel
test-tsan: test-tsan-build $(B)/tests/gen_trace ## sessions of the library and nodes with ThreadSanitizer
	@B=$(B) tests/api/threads.sh
	@B=$(B) tests/api/threads_nodes.sh
.PHONY: test-tsan test-tsan-build
# The tests of the command line under valgrind, an hour or so: each run of the program must be without an error. CLI="NAME..." for some of them.
test-valgrind: ## the command line under valgrind: an hour (CLI="NAME...": these alone)
	@tests/runner/deps.sh $(DEBS) $(TEST_DEBS) valgrind
	@$(MAKE) --no-print-directory -j$(shell nproc) test-build
	@tests/san/valgrind.sh $(B) $(CLI)
.PHONY: test-valgrind
bless: $(B)/tests/golden ## rewrites the goldens with what is printed now, and shows the difference
	$(B)/tests/golden --bless $(GOLDENS)
	git --no-pager diff --stat tests/golden

# What one runs after each change, in some minutes: it needs no root, installs nothing and attaches nothing.
check: ## what one runs after each change: some minutes, no root, installs nothing
	@tests/runner/deps.sh -n $(DEBS) $(LINT_DEBS) jq sqlite3
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(UNIT) $(addprefix $(B)/tests/,golden diff gen_trace)
	@RN_TEST_JOBS=4 RN_DIFF_EVENTS=15000 tests/runner/run.sh $(B) cli diff lint golden unit
.PHONY: check
test: ## installs what is missing, as root, and runs every suite
	@tests/runner/deps.sh $(DEBS) $(TEST_DEBS)
	@$(MAKE) --no-print-directory -j$(shell nproc) test-build
	@$(MAKE) --no-print-directory -j$(shell nproc) test-tsan-build
	@tests/runner/run.sh $(B)
# Before a release: what takes longer than a test run may. About three hours, and test-vm three more.
test-long: ## before a release: what takes longer than a test run may; hours
	@$(MAKE) --no-print-directory test-san
	@$(MAKE) --no-print-directory test-valgrind
	@$(MAKE) --no-print-directory soak
	@$(MAKE) --no-print-directory fuzz-campaign
	@$(MAKE) --no-print-directory coverage
.PHONY: test-long
# The live tests on the kernel of Debian 12 and on its newer one (or VM_KERNELS="PACKAGE..."), in virtual machines; no part of `make test`.
VM_DEBS := qemu-system-x86 busybox-static cpio kmod xz-utils e2fsprogs
test-vm: ## the live tests on both kernels of Debian 12 in virtual machines: hours
	@tests/runner/deps.sh $(DEBS) $(TEST_DEBS)
	@tests/runner/deps.sh $(VM_DEBS) || true
	@$(MAKE) --no-print-directory test-build
	@tests/vm/run.sh $(B) live $(VM_KERNELS)
.PHONY: test-vm

# docs/generated/coverage.md: every cell of the recall matrix, on this machine. Ten minutes of full load. Neither is part of the tests.
coverage: ## docs/generated/coverage.md: each way payload moves, on this kernel
	@tests/runner/deps.sh $(DEBS) $(TEST_DEBS)
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(B)/tests/programs/ways
	@tests/coverage/coverage.sh matrix docs/generated/coverage.md
	@tests/coverage/kernels.sh
# The same on other kernels, in virtual machines: docs/generated/coverage-6.1.md, docs/generated/coverage-6.12.md, and a table in docs/generated/coverage.md. About VM_MINUTES.
coverage-vm: ## the same on the kernels of Debian 12
	@tests/runner/deps.sh $(DEBS) $(TEST_DEBS) $(VM_DEBS)
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(B)/tests/programs/ways
	@tests/vm/run.sh $(B) coverage $(VM_KERNELS)
	@tests/coverage/kernels.sh
# Six kept views and a flow over 20,000 files, NATS among them; what they hold has to stay flat.
soak: ## all of these, one after the other: two hours
	@$(MAKE) --no-print-directory soak-kept
	@$(MAKE) --no-print-directory soak-payload
	@$(MAKE) --no-print-directory soak-view
	@$(MAKE) --no-print-directory soak-clean
soak-kept: ## ten minutes of kept views and a flow; memory stays flat (SECONDS=N)
	@tests/runner/deps.sh $(DEBS) $(TEST_DEBS)
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(B)/tests/programs/steady
	@tests/soak/all.sh $(or $(SECONDS),600)
soak-payload: ## ten minutes of full input and output under a tag query (SECONDS=N)
	@tests/runner/deps.sh $(DEBS) $(TEST_DEBS)
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(B)/tests/programs/ways
	@tests/live/payload/soak.sh $(or $(SECONDS),600)
soak-view: ## ten minutes of views over keys that live briefly (SECONDS=N)
	@tests/runner/deps.sh $(DEBS) $(TEST_DEBS)
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(B)/tests/programs/churn
	@tests/live/nodes/keep_soak.sh $(or $(SECONDS),600)
soak-clean: ## reads right after writes against pages known to hold no tag: 10 million (PAIRS=N of each file system)
	@tests/runner/deps.sh $(DEBS) $(TEST_DEBS)
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(B)/tests/programs/rewriter
	@B=$(B) tests/live/payload/clean.sh $(or $(PAIRS),2500000)
.PHONY: coverage coverage-vm soak soak-kept soak-payload soak-view soak-clean

lint: ## the rules of the house, clang-format, shellcheck, codespell, clang-tidy
	@tests/runner/deps.sh $(DEBS) $(LINT_DEBS) clang-tidy
	@$(MAKE) --no-print-directory -j$(shell nproc) tidy
	@tests/lint/layers.sh
	@tests/lint/format.sh
# Which room of the code stands on which, ground first.
arrows: ## prints which room stands on which, ground first
	@tests/lint/arrows.py --print
.PHONY: arrows
# Writes all C in the dialect of .clang-format, which `make lint` asks for.
format: ## writes all C in the dialect of .clang-format
	@tests/runner/deps.sh clang-format
	$(Q)find $(MODULES) tests docs -name '*.[ch]' | xargs -P$(shell nproc) -n 40 clang-format -i
# clang-tidy over each file, again when its object is made again. .clang-tidy says what is looked for.
TIDY := $(patsubst %.c,$(B)/tidy/%.ok,$(SRC))
$(B)/tidy/%.ok: %.c $(B)/obj/%.o .clang-tidy
	@mkdir -p $(@D)
	$(call say,TIDY)
	$(Q)clang-tidy --quiet $< -- $(filter-out -W% -MMD -MP,$(ALL_CFLAGS)) -DRN_VERSION='"$(VERSION)"' >$(@:.ok=.log) 2>/dev/null || { cat $(@:.ok=.log); exit 1; }
	$(Q)touch $@
tidy: $(TIDY)
.PHONY: tidy
.PHONY: test test-build test-golden test-unit bless lint format

# ---- benchmark: figures for docs/benchmarks.md; never part of the tests ----
bench: ## the figures of docs/benchmarks.md
	@tests/runner/deps.sh $(DEBS) bpftrace
	@$(MAKE) --no-print-directory -j$(shell nproc) $(B)/runnel $(B)/tests/bench $(B)/tests/bench_tags $(B)/tests/programs/reads
	@$(B)/tests/bench $(ROUNDS) $(CALLS)
	@$(B)/tests/bench_tags $(ROUNDS)
	@B=$(B) tests/bench/waiting.sh
	@B=$(B) tests/bench/links.sh
	@$(MAKE) --no-print-directory bench-kernel
	@$(MAKE) --no-print-directory bench-plan
	@$(MAKE) --no-print-directory bench-names
	@$(MAKE) --no-print-directory bench-functions
	@$(MAKE) --no-print-directory bench-picture
	@$(MAKE) --no-print-directory bench-hostile
	@$(MAKE) --no-print-directory bench-first
	@$(MAKE) --no-print-directory bench-nodes
# From the text of a query to its first row, beside bpftrace: half a minute.
bench-first: ## from the text of a query to its first row, beside bpftrace
	@tests/runner/deps.sh $(DEBS) bpftrace
	@$(MAKE) --no-print-directory -j$(shell nproc) $(B)/runnel $(B)/tests/bench_first
	@$(B)/tests/bench_first $(B)/runnel $(or $(ROUNDS),15)
.PHONY: bench-first
# Rows that leave the kernel, and the added ns, beside an empty program and bpftrace; RUNNEL_BEFORE=PROGRAM: beside another version, too. Three minutes. ONLY=WORD: queries with that word.
bench-kernel: ## which queries stay in the kernel, and what they cost (RUNNEL_BEFORE=PROGRAM: beside it)
	@tests/runner/deps.sh $(DEBS) bpftrace
	@$(MAKE) --no-print-directory -j$(shell nproc) $(B)/runnel $(B)/tests/bench_kernel
	@RUNNEL_BEFORE=$(RUNNEL_BEFORE) $(B)/tests/bench_kernel $(B)/runnel $(or $(ROUNDS),5) $(or $(CALLS),100000) $(ONLY)
.PHONY: bench-kernel
# How long a text of a hundred queries takes to be read and planned; RUNNEL_BEFORE=PROGRAM: beside another version. Half a minute.
bench-plan: ## how long a hundred queries take to be planned (RUNNEL_BEFORE=PROGRAM: beside it)
	@tests/runner/deps.sh $(DEBS)
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(B)/tests/bench_plan
	@RUNNEL_BEFORE=$(RUNNEL_BEFORE) $(B)/tests/bench_plan $(B)/runnel $(or $(ROUNDS),5)
.PHONY: bench-plan
# What the name of a file costs each call, by the depth of its path; RUNNEL_BEFORE=PROGRAM: beside another version. A minute.
bench-names: ## what the name of a file costs a call (RUNNEL_BEFORE=PROGRAM: beside it)
	@tests/runner/deps.sh $(DEBS)
	@$(MAKE) --no-print-directory -j$(shell nproc) $(B)/runnel $(B)/tests/programs/preads
	@B=$(B) RUNNEL_BEFORE=$(RUNNEL_BEFORE) tests/bench/names.sh $(or $(ROUNDS),5)
.PHONY: bench-names
bench-functions: ## what a call of a function, and a member of a struct, costs a query; beside bpftrace
	@tests/runner/deps.sh $(DEBS) bpftrace
	@$(MAKE) --no-print-directory -j$(shell nproc) $(B)/runnel $(B)/tests/bench_probe $(B)/tests/programs/functions $(B)/tests/programs/calls
	@B=$(B) tests/bench/functions.sh $(or $(ROUNDS),7)
	@B=$(B) tests/bench/members.sh $(or $(ROUNDS),9)
.PHONY: bench-functions
# How long it takes to attach to all functions of the kernel, in a virtual machine if this one has no links that hold many. Four minutes.
bench-all-functions: ## how long it takes to attach to all functions of the kernel, and to let go of them
	@tests/runner/deps.sh $(DEBS)
	@$(MAKE) --no-print-directory -j$(shell nproc) $(B)/runnel
	@B=$(B) tests/bench/all_functions.sh
.PHONY: bench-all-functions
# A million hops, 1,000 processes, 100 tags: ten seconds.
bench-picture: ## how long a picture of a million hops takes to be made
	@tests/runner/deps.sh $(DEBS)
	@$(MAKE) --no-print-directory -j$(shell nproc) $(B)/tests/bench_picture
	@$(B)/tests/bench_picture
.PHONY: bench-picture
# What a browser needs for a page of 10,000 links: half a minute. Node.js and npm must be there.
bench-page: ## the bytes of a page of -o html, its first picture, steps of zoom (HOPS=N)
	@tests/runner/deps.sh $(DEBS) chromium
	@$(MAKE) --no-print-directory -j$(shell nproc) $(B)/tests/gen_page
	@B=$(B) tests/bench/page.sh $(HOPS)
.PHONY: bench-page
# For docs/pictures.md, after a change of the page. Node.js and npm must be there.
screenshots: ## writes docs/pictures/page-*.png, what a browser shows of a flow
	@tests/runner/deps.sh $(DEBS) chromium
	@$(MAKE) --no-print-directory -j$(shell nproc) $(B)/runnel
	@B=$(B) tests/page/shoot.sh
.PHONY: screenshots
# A query begins beside a user who makes that slow; RUNNEL_BEFORE=PROGRAM: beside another version. A minute.
bench-hostile: ## how long a query takes to begin beside a hostile user
	@tests/runner/deps.sh $(DEBS)
	@$(MAKE) --no-print-directory -j$(shell nproc) $(B)/runnel $(B)/tests/programs/crowd
	@B=$(B) RUNNEL_BEFORE=$(RUNNEL_BEFORE) tests/bench/hostile.sh $(or $(ROUNDS),5)
.PHONY: bench-hostile
# From the end of a window to the answer, over 10 to 10,000 simulated nodes: four minutes.
bench-nodes: ## from the end of a window to the answer, over 10 to 10,000 simulated nodes
	@tests/runner/deps.sh $(DEBS)
	@$(MAKE) --no-print-directory -j$(shell nproc) $(B)/tests/bench_nodes
	@$(B)/tests/bench_nodes $(or $(WINDOWS),5)
.PHONY: bench-nodes
# What our search for tags is compared with: textbook scanners in BPF, for this program only.
$(B)/obj/tests/bench/main_bench_tags.o: $(B)/gen/tests/scanners.skel.h
$(B)/gen/tests/scanners.skel.h: tests/bench/scanners.bpf.c tests/bench/scanners.h probes/bpf/kernel.bpf.h
	@mkdir -p $(@D)
	$(call say,CLANG)
	$(Q)$(CLANG) -target bpf -D__TARGET_ARCH_x86 -mcpu=v3 -g -O2 -Wall -I. -c -o $(@D)/scanners.bpf.o $<
	$(Q)bpftool gen skeleton $(@D)/scanners.bpf.o name bench_scanners >$@
# What a query for tags costs whole programs, in pairs of runs, beside empty programs and strace: half an hour. RUNNEL_BEFORE=PROGRAM: beside another version, too.
# ONLY="PROGRAM...": these alone.
PAIRS ?= 7
bench-programs: ## what a query for tags costs tar, fio, redis, PostgreSQL, nginx, git, make
	@tests/runner/deps.sh $(DEBS) jq redis-server postgresql postgresql-contrib fio nginx-light wrk strace git curl procps
	@$(MAKE) --no-print-directory -j$(shell nproc) $(B)/runnel $(B)/tests/bench_empty
	@B=$(B) RUNNEL_BEFORE=$(RUNNEL_BEFORE) tests/bench/programs.sh $(PAIRS) $(ONLY)
.PHONY: bench bench-programs

# What the examples of README.md and docs/ print, from a small workload (tests/demo/workload.bash), on a terminal of 100 columns.
examples: ## rewrites what the examples of the documents print (PAGES="FILE...": of these alone)
	@tests/runner/deps.sh $(DEBS) $(TEST_DEBS)
	@$(MAKE) --no-print-directory -j$(shell nproc) $(B)/runnel
	@B=$(B) BLESS=1 tests/docs/examples.sh $(PAGES)
.PHONY: examples
demo: ## a flow of marked data through cat, gzip and a socket, live or recorded
	@tests/runner/deps.sh $(DEBS) netcat-openbsd
	@$(MAKE) --no-print-directory -j$(shell nproc) $(B)/runnel
	@tests/demo/run.sh $(B)/runnel
.PHONY: demo

# ---- fuzzing: the whole library again, with clang, coverage and sanitizers ----
FUZZFLAGS := -g -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
FUZZLINK  := -fsanitize=fuzzer,address,undefined
FUZZ_OBJ  := $(patsubst $(B)/obj/%.o,$(B)/fuzz/obj/%.o,$(OBJ))
FUZZERS   := $(if $(wildcard /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-x86_64.a),\
	$(patsubst tests/fuzz/fuzz_%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_CFLAGS = $(filter-out -W% -O2,$(ALL_CFLAGS)) -w $(FUZZFLAGS) -DRN_VERSION='"$(VERSION)"'
$(B)/fuzz/obj/gen/%.o: $(B)/gen/%.c | $(GENHDR)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CLANG) $(FUZZ_CFLAGS) -c -o $@ $<
$(B)/fuzz/obj/%.o: %.c | $(GENHDR)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CLANG) $(FUZZ_CFLAGS) -c -o $@ $<
FUZZ_FAKES := $(patsubst %.c,$(B)/fuzz/obj/%.o,tests/support/fake_catalog.c tests/support/fake_wire.c tests/support/fake_nats.c tests/support/gen_trace.c)
$(B)/fuzz/internal.a: $(FUZZ_OBJ) $(FUZZ_FAKES)
	$(call say,AR)
	$(Q)rm -f $@; ar rcs $@ $^
$(B)/fuzz/%: tests/fuzz/fuzz_%.c tests/fuzz/fuzz.h $(B)/fuzz/internal.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CLANG) $(FUZZ_CFLAGS) $(FUZZLINK) -MF $(B)/fuzz/obj/fuzz_$*.d -o $@ $< $(B)/fuzz/internal.a $(LIBS) $(PROGLIBS)
# Some targets are programs that write seeds as well. They are built with each test, so that they last.
FUZZ_SEEDS := $(if $(FUZZERS),$(B)/fuzz/seeds_frame $(B)/fuzz/seeds_link)
$(B)/fuzz/seeds_%: tests/fuzz/fuzz_%.c tests/fuzz/fuzz.h $(B)/fuzz/internal.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CLANG) $(FUZZ_CFLAGS) -DSEEDS -fsanitize=address,undefined -MF $(B)/fuzz/obj/seeds_$*.d -o $@ $< $(B)/fuzz/internal.a $(LIBS) $(PROGLIBS)
-include $(FUZZ_OBJ:.o=.d) $(FUZZ_FAKES:.o=.d) $(B)/fuzz/obj/repl/main.d
# The program itself in that build, for random keys against its prompt.
$(B)/fuzz/runnel: $(B)/fuzz/obj/repl/main.o $(B)/fuzz/internal.a
	$(call say,LINK)
	$(Q)$(CLANG) -fsanitize=address,undefined -fno-sanitize-recover=undefined -o $@ $^ $(LIBS) $(PROGLIBS)
test-build: $(FUZZERS) $(FUZZ_SEEDS) $(if $(FUZZERS),$(B)/fuzz/runnel)
# Ten times as many sequences of keys as `make test` has.
shell-fuzz: $(B)/fuzz/runnel $(B)/tests/shell_fuzz ## random keys at the prompt, ten times as many as in the tests
	@B=$(B) SEQUENCES=$(or $(SEQUENCES),10000) SEED=$(or $(SEED),1) tests/shell/keys.sh
.PHONY: shell-fuzz
# Each target for so many seconds, over its corpus and what earlier runs have found.
fuzz: $(FUZZERS) ## each fuzzer for SECONDS=60, from its corpus on (TARGETS="hosts x86")
	@RN_FUZZ_SECONDS=$(or $(SECONDS),60) tests/fuzz/run.sh $(TARGETS)
# The figures of docs/security.md: minutes of one core for each target, and the lines that the corpora run.
fuzz-campaign: $(FUZZERS) ## each fuzzer for MINUTES=20 of one core
	@tests/fuzz/tools/campaign.sh $(or $(MINUTES),20) $(TARGETS)
fuzz-coverage: ## which part of its files each corpus runs; at least 85 %
	@$(MAKE) --no-print-directory B=build/coverage FUZZFLAGS="-g -O1 -fprofile-instr-generate -fcoverage-mapping" \
		FUZZLINK=-fsanitize=fuzzer $(or $(TARGETS:%=build/coverage/fuzz/%),fuzzers)
	@tests/fuzz/tools/coverage.sh build/coverage $(TARGETS)
fuzz-merge: $(FUZZERS) ## makes the corpora again after a campaign
	@tests/fuzz/tools/merge.sh $(TARGETS)
fuzz-seeds: $(FUZZ_SEEDS) ## makes the seeds of frames and links again after a change of the wire
	@tests/fuzz/tools/seeds.sh
fuzzers: $(FUZZERS)
.PHONY: fuzz fuzz-campaign fuzz-coverage fuzz-merge fuzz-seeds fuzzers
