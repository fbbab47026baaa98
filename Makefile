# Runnel: `make demo` and `make test` install what they need; `make` only builds.
# Everything made goes to build/ (SAN=1: build/san, with address and undefined behaviour sanitizers).

CC      ?= gcc
CLANG   ?= clang
B       := build$(if $(SAN),/san)
PKGS    := libbpf sqlite3 libprotobuf-c libxxhash libutf8proc libelf zlib libcap-ng libseccomp
NOPC    := -lZydis -liberty # their packages have no file for pkg-config
LOADED  := libnats libcrypto # by exec/nats/lib.c, when they are needed
CFLAGS  ?= -O2 -g
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wdeclaration-after-statement -Wno-missing-field-initializers $(if $(CI),-Werror)
comma   := ,
SANFLAGS := $(if $(SAN),-fsanitize=address$(comma)undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -I. -I$(B)/gen -fPIC -fvisibility=hidden -MMD -MP $(CFLAGS) $(WARN) $(SANFLAGS) \
	$(shell pkg-config --cflags $(PKGS) $(LOADED) 2>/dev/null)
LIBS     = $(shell pkg-config --libs $(PKGS) 2>/dev/null) $(NOPC) -lm -lpthread
PROGLIBS = $(shell pkg-config --libs libedit 2>/dev/null || echo -ledit)
VERSION := 0.1.0
# One short line a file; V=1 shows the commands.
Q        := $(if $(V),,@)
say       = $(if $(V),,@printf '  %-6s %s\n' $(1) $@)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:

# ---- sources: each folder is a layer; see ARCHITECTURE.md ----
MODULES  := lang planner probes exec repl
SRC      := $(foreach m,$(MODULES),$(wildcard $(m)/*.c $(m)/*/*.c))
SRC      := $(filter-out probes/bpf/%,$(SRC))
MAIN     := repl/main.c
GENSRC   := $(B)/gen/lang/syntax/lexer.c $(B)/gen/lang/syntax/grammar.c $(B)/gen/exec/wire/wire.pb-c.c $(B)/gen/stdlib/data.c $(B)/gen/repl/page/page.c
OBJ      := $(patsubst %.c,$(B)/obj/%.o,$(filter-out $(MAIN) repl/sqlite/%,$(SRC))) $(patsubst $(B)/gen/%.c,$(B)/obj/gen/%.o,$(GENSRC))
GENHDR   := $(B)/gen/lang/syntax/grammar.h $(B)/gen/exec/wire/wire.pb-c.h $(B)/gen/probes/intrinsics/intrinsics.skel.h $(B)/gen/probes/catalog/syscalls.inc $(B)/gen/lang/values/named.inc

# internal.a is for the program and the tests; the library leaves out what only the program needs.
PROGRAM  := cli node out picture prom shell sqlite terminal
LIBOBJ   := $(filter-out $(patsubst %.c,$(B)/obj/%.o,$(wildcard repl/*.c)) $(PROGRAM:%=$(B)/obj/repl/%/%) $(B)/obj/gen/repl/%,$(OBJ))

# Only what runnel.h declares is visible outside: the shared library exports nothing else, the static one has no other global symbols.
# The number of the shared library grows when a program that was linked with an older one would break.
SONAME   := librunnel.so.1
SHARED   := $(B)/$(SONAME).$(VERSION)

all: $(B)/runnel $(B)/librunnel.a $(B)/librunnel.so $(B)/runnel_sqlite.so ## the program, the library and the SQLite extension; needs no root

$(B)/runnel: $(B)/obj/$(MAIN:.c=.o) $(B)/internal.a
	$(call say,LINK)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(LIBS) $(PROGLIBS)
$(B)/internal.a: $(OBJ)
	$(call say,AR)
	$(Q)rm -f $@; ar rcs $@ $(OBJ)
$(B)/librunnel.a: $(LIBOBJ) $(B)/gen/runnel.syms
	$(call say,AR)
	$(Q)$(LD) -r -o $(B)/obj/librunnel.o $(LIBOBJ) && objcopy --keep-global-symbols=$(B)/gen/runnel.syms $(B)/obj/librunnel.o
	$(Q)rm -f $@; ar rcs $@ $(B)/obj/librunnel.o
$(SHARED): $(LIBOBJ) $(B)/gen/runnel.map
	$(call say,LINK)
	$(Q)$(CC) $(SANFLAGS) -shared -Wl,-z,nodelete -Wl,-soname,$(SONAME) -Wl,--version-script=$(B)/gen/runnel.map $(if $(SANFLAGS),,-Wl$(comma)--no-undefined) \
		-o $@ $(LIBOBJ) $(LIBS)
$(B)/gen/runnel.syms: repl/api/runnel.h
	@mkdir -p $(@D)
	$(Q)sed -n 's/^RUNNEL_API.*[ *]\(runnel_[a-z0-9_]*\)(.*/\1/p' $< | sort >$@
$(B)/gen/runnel.map: $(B)/gen/runnel.syms Makefile
	$(Q){ echo '{ global:'; sed 's/$$/;/' $<; echo 'local: *; };'; } >$@
$(B)/librunnel.so: $(SHARED)
	$(Q)ln -sf $(notdir $(SHARED)) $(B)/$(SONAME)
	$(Q)ln -sf $(SONAME) $@
# Both stay in a process that has loaded them (nodelete): libbpf and libnats keep pointers to what they were given.
# The extension for SQLite has the library inside: it can be copied and loaded alone.
$(B)/runnel_sqlite.so: $(B)/obj/repl/sqlite/runnel_sqlite.o $(B)/librunnel.a
	$(call say,LINK)
	$(Q)$(CC) $(SANFLAGS) -shared $(if $(SANFLAGS),,-Wl$(comma)--no-undefined) -Wl,-z,nodelete -Wl,--exclude-libs,ALL -o $@ $^ $(LIBS)

$(B)/obj/%.o: %.c | $(GENHDR)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) -DRN_VERSION='"$(VERSION)"' -c -o $@ $<
$(B)/obj/gen/%.o: $(B)/gen/%.c | $(GENHDR)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(filter-out -W%,$(ALL_CFLAGS)) -w -c -o $@ $<

# ---- generated code ----
$(B)/gen/lang/syntax/grammar.c $(B)/gen/lang/syntax/grammar.h &: lang/syntax/grammar.y
	@mkdir -p $(@D)
	$(call say,LEMON)
	$(Q)lemon -q -d$(@D) $<
$(B)/gen/lang/syntax/lexer.c: lang/syntax/lexer.re $(B)/gen/lang/syntax/grammar.h
	@mkdir -p $(@D)
	$(call say,RE2C)
	$(Q)re2c -W -Werror -i --no-generation-date -o $@ $<
$(B)/gen/exec/wire/wire.pb-c.c $(B)/gen/exec/wire/wire.pb-c.h &: exec/wire/wire.proto
	@mkdir -p $(@D)
	$(call say,PROTO)
	$(Q)protoc-c --c_out=$(B)/gen $<
# The number and name of every system call of this architecture: {0, "read"}, ...
$(B)/gen/probes/catalog/syscalls.inc: Makefile
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)echo '#include <asm/unistd.h>' | $(CC) -E -dM - | sed -n 's/^#define __NR_\([a-z0-9_]*\) \([0-9]*\)$$/{\2, "\1"},/p' | sort -t'{' -k2n >$@
# The numbers that have names: {RN_U_OPEN, "O_CREAT", 00000100}, ...
$(B)/gen/lang/values/named.inc: lang/values/named.sh Makefile
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)lang/values/named.sh "$(CC)" >$@.new && mv $@.new $@
# Precompiled BPF functions: relocated at run time by libbpf, spliced into generated programs.
$(B)/gen/probes/bpf/intrinsics.bpf.o: $(wildcard probes/bpf/*.c probes/bpf/*.h probes/abi/*.h)
	@mkdir -p $(@D)
	$(call say,CLANG)
	$(Q)$(CLANG) -target bpf -D__TARGET_ARCH_x86 -mcpu=v3 -g -O2 -fno-unroll-loops -Wall -I. -c -o $@ probes/bpf/intrinsics.bpf.c
	$(Q)llvm-strip -g $@
$(B)/gen/probes/intrinsics/intrinsics.skel.h: $(B)/gen/probes/bpf/intrinsics.bpf.o
	@mkdir -p $(@D)
	$(call say,SKEL)
	$(Q){ echo "// NOLINTBEGIN: generated"; bpftool gen skeleton $< name rn_intrinsics; echo "// NOLINTEND"; } >$@
$(B)/gen/stdlib/data.c: $(wildcard stdlib/*.rnl) Makefile
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q){ echo 'struct rn_module_data { const char *name, *text; };'; \
	  echo 'const struct rn_module_data rn_stdlib[] = {'; \
	  for f in $(wildcard stdlib/*.rnl); do n=$${f##*/}; echo "{\"$${n%.rnl}\","; \
	    sed -e 's/[\\"]/\\&/g' -e 's/^/"/' -e 's/$$/\\n"/' $$f; echo '},'; done; echo '{0, 0}};'; } >$@
# The page of -o html: its style and its script are inside.
$(B)/gen/repl/page/page.c: $(wildcard repl/page/*) Makefile
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)repl/page/page.sh >$@.new && mv $@.new $@

# The page of the standard library, from its modules; kept with the sources, and lint sees that it is current.
docs/generated/stdlib.md: $(wildcard stdlib/*.rnl) stdlib/doc.awk docs/packaging/fill.awk
	$(call say,GEN)
	$(Q)LC_ALL=C awk -f stdlib/doc.awk $(wildcard stdlib/*.rnl) | LC_ALL=C awk -f docs/packaging/fill.awk >$@

# ---- tools ----
help: ## this list
	@cat $(MAKEFILE_LIST) | awk -F': .*## |:## |: ## ' '/^[a-z][a-z-]*:.*## / { printf "%-16s %s\n", $$1, $$2 }'
.PHONY: help
DEBS := gcc make clang llvm lemon re2c bpftool pkg-config libbpf-dev libelf-dev zlib1g-dev libsqlite3-dev \
	protobuf-c-compiler libprotobuf-c-dev protobuf-compiler libxxhash-dev libutf8proc-dev uthash-dev libnats-dev libssl-dev libcap-ng-dev libseccomp-dev libmicrohttpd-dev \
	libedit-dev libzydis-dev libiberty-dev libcmocka-dev libc6-dev
deps: ## installs the Debian packages that building needs
	@tests/runner/deps.sh $(DEBS)
# What a program that is linked with internal.a needs, for scripts.
libs:
	@echo $(LIBS)
clean: ## removes build/
	rm -rf build
.PHONY: all deps libs clean

include docs/packaging/install.mk
-include tests/tests.mk
-include $(patsubst %.c,$(B)/obj/%.d,$(SRC)) $(wildcard $(B)/obj/gen/*/*.d $(B)/obj/gen/*/*/*.d $(patsubst %,$(B)/obj/tests/%.d,*/* */*/* */*/*/*))
