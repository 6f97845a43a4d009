# bdp: make setup demo | make setup check | make | make install
VERSION = 0.2.0

PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
MANDIR  ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
SCHEMADIR ?= $(PREFIX)/share/bdp
DESTDIR ?=

CC      ?= cc
CFLAGS  ?= -O2 -g
WARN     = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wformat=2 -Wvla \
           -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wcast-qual -Wundef
HARDEN   = -fstack-protector-strong -fstack-clash-protection -fPIE -ffunction-sections \
           -fdata-sections -fno-asynchronous-unwind-tables \
           -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
STATIC   = -static-pie
LINK     = $(or $(STATIC),-pie) -Wl,--gc-sections -Wl,-z,relro,-z,now,-z,noexecstack
LIBS     = -lbsd -lmd -lm
COMPILE  = $(CC) -std=c11 -D_GNU_SOURCE -DBDP_VERSION='"$(VERSION)"' -Isrc \
           -ffile-prefix-map='$(CURDIR)'=. \
           $(WARN) $(WERROR) $(CPPFLAGS) $(CFLAGS) -MMD -MP

# Build directory: every variant (sanitizers, coverage, clang) has its own.
B       ?= build/release
# Where the program is left; variants leave theirs in $(B).
BIN     ?= $(if $(filter build/release,$(B)),bdp,$(B)/bdp)

SRCS    := $(sort $(wildcard src/*.c src/*/*.c))
OBJS     = $(SRCS:src/%.c=$(B)/%.o)
LIBOBJS  = $(filter-out $(B)/main.o,$(OBJS))

# Everything but main, for the tests to link with.
LIBRARY  = $(B)/libbdp.a

# V=1 shows the commands whole.
say_1    =
say_     = @echo '  $(1)' $@;
say      = $(call say_$(V),$(1))

all: $(BIN)

$(BIN): $(OBJS)
	$(call say,LINK)$(CC) $(CFLAGS) $(HARDEN) $(LDFLAGS) $(LINK) -o $@ $(OBJS) $(LIBS)

$(LIBRARY): $(LIBOBJS)
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $(LIBOBJS)

$(B)/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(COMPILE) $(HARDEN) -c -o $@ $<

-include $(OBJS:.o=.d)

# ---- set-up: everything that building and testing need, on a bare Debian machine --------------
BUILD_PACKAGES = gcc libc6-dev libbsd-dev libmd-dev
TEST_PACKAGES  = git libcmocka-dev jq mandoc man-db zsh fish bash-completion clang-14 clang-format-14 \
                 libclang-rt-14-dev cppcheck shellcheck iproute2 iperf3 iputils-ping mtr-tiny procps util-linux mount socat \
                 librsvg2-bin libxml2-utils python3-jsonschema groff
BENCH_PACKAGES = hyperfine time jq gawk
VM_PACKAGES    = qemu-system-x86 busybox-static cpio

setup:
	@tests/setup.sh $(BUILD_PACKAGES) $(TEST_PACKAGES)

demo: $(BIN)
	@tests/demo.sh ./$(BIN)

# ---- tests ------------------------------------------------------------------------------------
UNITS    := $(wildcard tests/unit/test_*.c)
UNITBINS  = $(UNITS:tests/unit/%.c=$(B)/unit/%)

$(B)/unit/%: tests/unit/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,CC)$(COMPILE) -Itests/unit -fPIE -MF $@.d -pie -o $@ $< $(LIBRARY) $(LDFLAGS) -lcmocka $(LIBS)

-include $(UNITBINS:=.d)

TOOLS    := $(wildcard tests/tools/*.c)
TOOLBINS  = $(TOOLS:tests/tools/%.c=$(B)/tools/%)

$(B)/tools/%: tests/tools/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,CC)$(COMPILE) -fPIE -MF $@.d -pie -o $@ $< $(LIBRARY) $(LDFLAGS) $(LIBS)

tools: $(TOOLBINS)

unit: $(UNITBINS)
	@tests/run-units.sh $(UNITBINS)

# Whole-program cases: a directory each, with args, inputs and what must come out.
e2e: $(BIN)
	@BDP=$(CURDIR)/$(BIN) tests/e2e/run.sh

corpus: $(BIN) tools
	@BDP=$(CURDIR)/$(BIN) tests/corpus/check.sh
	@BDP=$(CURDIR)/$(BIN) tests/corpus/harmless.sh
	@[ $(B) != build/release ] || BDP=$(CURDIR)/$(BIN) OUT=$(CURDIR)/build/score tests/corpus/recorded.sh
	@[ $(B) != build/release ] || BDP=$(CURDIR)/$(BIN) OUT=$(CURDIR)/build/score tests/corpus/verbs.sh
	@[ $(B) != build/release ] || TOOLS=$(CURDIR)/$(B)/tools OUT=$(CURDIR)/build/score tests/corpus/weights.sh

# The weights of the features as the labelled runs have them: fits and compares; WEIGHTS=--update writes
# src/diagnosis/weights.c anew.
weights: $(BIN) tools
	@TOOLS=$(CURDIR)/$(B)/tools OUT=$(CURDIR)/build/score tests/corpus/weights.sh $(WEIGHTS)

# How often the limit is named rightly, in every form, and what "high" is worth: figures only.
score: $(BIN)
	@BDP=$(CURDIR)/$(BIN) OUT=$(CURDIR)/build/score tests/corpus/score.sh $(SCORE)

# What must hold for every recorded run, whatever its truth.
invariants: $(BIN)
	@BDP=$(CURDIR)/$(BIN) OUT=$(CURDIR)/build/score tests/corpus/invariants.sh $(INVARIANTS)

# Every verdict as recorded; RECORDED=--update writes the table anew.
recorded: $(BIN)
	@BDP=$(CURDIR)/$(BIN) OUT=$(CURDIR)/build/score tests/corpus/recorded.sh $(RECORDED)

live: $(BIN)
	@BDP=$(CURDIR)/$(BIN) tests/live/run.sh

layers: $(BIN)
	@tests/layers.sh $(B)

# What is said twice must be said alike: help, manuals, completions, JSON, tables, shown examples.
documents: $(BIN)
	@tests/options.sh $(BIN)
	@tests/completions.sh $(BIN)
	@tests/diagnostics.sh
	@BDP=$(CURDIR)/$(BIN) tests/json-names.sh
	@BDP=$(CURDIR)/$(BIN) tests/schema.sh
	@BDP=$(CURDIR)/$(BIN) tests/examples.sh
	@BDP=$(CURDIR)/$(BIN) tests/sentences.sh
	@BDP=$(CURDIR)/$(BIN) tests/words.sh
	@BDP=$(CURDIR)/$(BIN) tests/sizes.sh
	@tests/man.sh
	@tests/man-vi.sh

# Closed descriptors, broken pipes, hostile names and strings, no memory, no /proc; a terminal.
robust: $(BIN)
	@tests/robust.sh $(abspath $(BIN))
	@tests/terminal.sh $(BIN)

check: all unit tools e2e robust corpus layers documents live check-install
	@echo "all checks passed"

# Every system call of apply, rollback, confirm, the guard, a sweep's steps and the pruning of journals fails
# in turn, in each of eight ways, and each is killed at every one; an apply once more while it is taken back.
# About 15 minutes.
check-faults: $(B)/unit/test_apply_faults
	@FAULTS=all VERBOSE=1 tests/run-units.sh $<

# The same tests with the sanitizers; 99 is their exit code, so that it is no code of ours.
SANITIZE = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
check-asan:
	ASAN_OPTIONS=exitcode=99:detect_leaks=1 UBSAN_OPTIONS=exitcode=99 \
	$(MAKE) B=build/asan STATIC= HARDEN=-fPIE LDFLAGS=-pie CFLAGS='$(SANITIZE)' \
	    unit e2e corpus

clang:
	$(MAKE) B=build/clang CC=clang-14 STATIC= WERROR=-Werror LDFLAGS=-pie build/clang/bdp

# Small changes to src/, one at a time: is each noticed by unit, e2e or corpus?  COUNT=N, ONLY=FOLDER.
COUNT ?= 120
.PHONY: mutants
mutants:
	@tests/mutants/run.sh --count $(COUNT) $(ONLY:%=--only %) --least 85

# ---- fuzzing: one target per reader, libFuzzer with the sanitizers ----------------------------
FUZZERS  := $(wildcard tests/fuzz/fuzz_*.c)
FUZZBINS  = $(FUZZERS:tests/fuzz/%.c=build/fuzz/%)
FUZZFLAGS = -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined \
            -fno-sanitize-recover=undefined

build/fuzz/fuzz_%: tests/fuzz/fuzz_%.c
	$(MAKE) B=build/fuzz CC=clang-14 STATIC= HARDEN=-fPIE CFLAGS='$(FUZZFLAGS)' build/fuzz/objects
	clang-14 -std=c11 -D_GNU_SOURCE -Isrc -g -O1 -fsanitize=fuzzer,address,undefined \
	    -o $@ $< $(filter-out build/fuzz/main.o,$(SRCS:src/%.c=build/fuzz/%.o)) $(LIBS)

$(B)/objects: $(OBJS)

fuzzers:
	@$(MAKE) B=build/fuzz CC=clang-14 STATIC= HARDEN=-fPIE CFLAGS='$(FUZZFLAGS)' build/fuzz/objects
	@for f in $(FUZZBINS); do $(MAKE) --no-print-directory $$f || exit 1; done

fuzz: fuzzers
	@tests/fuzz/run.sh 300 $(FUZZBINS)

fuzz-smoke: fuzzers
	@tests/fuzz/run.sh 4 $(FUZZBINS)

# ---- lint -------------------------------------------------------------------------------------
MANUALS := $(wildcard man/*.[1-9])
# Translations: man/LANGUAGE/PAGE goes to MANDIR/LANGUAGE.
TRANSLATED := $(wildcard man/*/*.[1-9])
# What a corpus holds is data, whatever its name.
SCRIPTS  = $(shell git ls-files '*.sh' ':!tests/corpus/*/*' 2>/dev/null)

# The tables of iperf3's JSON name a member of no record to take its type.
lint:
	clang-format-14 --dry-run -Werror $(SRCS) $(wildcard src/*.h src/*/*.h)
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
	    --inline-suppr --suppress=missingIncludeSystem --suppress=internalAstError \
	    --suppress='nullPointer:src/evidence/iperf_json*.c' \
	    -Isrc -DBDP_VERSION='""' src
	shellcheck -x -P SCRIPTDIR -e SC1091,SC2119,SC2120 $(SCRIPTS)
	$(MAKE) B=build/werror WERROR=-Werror build/werror/bdp
	$(MAKE) clang

# Slower and deeper than lint.  gcc 12 takes what is kept behind a pointer for lost; the leak checker
# of check-asan finds what is.  What clang-tidy leaves out is in .clang-tidy, with the reasons.
analyze:
	@tests/setup.sh $(BUILD_PACKAGES) clang-tidy-14
	@for file in $(SRCS); do \
	    $(COMPILE) -O2 -Werror -fanalyzer -Wno-analyzer-malloc-leak -MF /dev/null -c -o /dev/null \
	        $$file || exit 1; done
	@for file in $(SRCS); do \
	    clang-tidy-14 --quiet $$file -- -std=c11 -D_GNU_SOURCE -DBDP_VERSION='""' -Isrc \
	        2>/dev/null || exit 1; done

# Line coverage of src/ by the tests, a line a folder.  Some fail in such a build, because it writes
# its counts where it is told to write nothing; that they pass is what check is for.  `robust` goes
# first: what it kills leaves counts half written, and those are begun anew.
cover:
	@rm -rf build/cover && mkdir -p build/cover
	@$(MAKE) -k B=build/cover CFLAGS='-O0 -g --coverage' \
	    robust unit tools e2e corpus documents live >build/cover/log 2>&1 || true
	@tests/cover.sh build/cover

# The committed sources as an archive, proved: it builds anywhere to the same bytes and passes.
DIST = build/bdp-$(VERSION).tar.gz
dist:
	@mkdir -p build
	git archive --format=tar --prefix=bdp-$(VERSION)/ HEAD | gzip -9n >$(DIST)
	@tests/dist.sh $(DIST)

# ---- the laboratory: advice proved against real kernels, as root -------------------------------
# 77 is "skipped", with the reason printed.
lab-short: $(BIN)
	@tests/lab/loop.sh --short -b $(CURDIR)/$(BIN) || [ $$? = 77 ]

check-lab: $(BIN)
	@tests/lab/wan-test.sh
	@tests/lab/cleanup-test.sh
	@tests/lab/loop.sh -b $(CURDIR)/$(BIN)
	@tests/lab/predict.sh -b $(CURDIR)/$(BIN)

check-vm: $(BIN)
	@tests/setup.sh $(BUILD_PACKAGES) $(TEST_PACKAGES) $(VM_PACKAGES)
	@tests/lab/vm.sh -b $(CURDIR)/$(BIN)

# The same sources on another machine: cross-compiled, and run under qemu's user emulation.
CROSS_PACKAGES = gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user jq gawk
check-aarch64:
	@tests/setup.sh $(CROSS_PACKAGES)
	@tests/aarch64.sh

# ---- measuring --------------------------------------------------------------------------------
bench: $(BIN)
	@tests/setup.sh $(BUILD_PACKAGES) $(BENCH_PACKAGES)
	@tests/bench.sh ./$(BIN)

# ---- installing -------------------------------------------------------------------------------
install: $(BIN)
	install -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(BASHDIR)' '$(DESTDIR)$(ZSHDIR)' '$(DESTDIR)$(FISHDIR)' \
	    '$(DESTDIR)$(SCHEMADIR)'
	install -m 755 $(BIN) '$(DESTDIR)$(BINDIR)/bdp'
	for page in $(MANUALS); do \
	    section='$(DESTDIR)$(MANDIR)'/man$${page##*.}; \
	    install -d "$$section" && install -m 644 $$page "$$section" || exit 1; done
	for page in $(TRANSLATED); do \
	    language=$${page#man/}; language=$${language%%/*}; \
	    section='$(DESTDIR)$(MANDIR)'/$$language/man$${page##*.}; \
	    install -d "$$section" && install -m 644 $$page "$$section" || exit 1; done
	install -m 644 completions/bdp.bash '$(DESTDIR)$(BASHDIR)/bdp'
	install -m 644 completions/_bdp '$(DESTDIR)$(ZSHDIR)/_bdp'
	install -m 644 completions/bdp.fish '$(DESTDIR)$(FISHDIR)/bdp.fish'
	install -m 644 man/bdp.schema.json '$(DESTDIR)$(SCHEMADIR)/bdp.schema.json'

uninstall:
	rm -f '$(DESTDIR)$(BINDIR)/bdp' '$(DESTDIR)$(BASHDIR)/bdp' '$(DESTDIR)$(ZSHDIR)/_bdp' \
	    '$(DESTDIR)$(FISHDIR)/bdp.fish' '$(DESTDIR)$(SCHEMADIR)/bdp.schema.json'
	for page in $(MANUALS); do \
	    rm -f '$(DESTDIR)$(MANDIR)'/man$${page##*.}/$${page##*/}; done
	for page in $(TRANSLATED); do language=$${page#man/}; language=$${language%%/*}; \
	    rm -f '$(DESTDIR)$(MANDIR)'/$$language/man$${page##*.}/$${page##*/}; done

check-install: $(BIN)
	@tests/install.sh

clean:
	rm -rf build bdp

.PHONY: all setup demo unit tools e2e robust analyze cover dist corpus score weights invariants recorded live layers documents lab-short check-faults check-lab check-vm check-aarch64 check check-asan clang fuzz \
    fuzz-smoke fuzzers lint bench install uninstall check-install clean $(B)/objects
