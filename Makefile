# bdp: make setup demo | make setup check | make | make install
VERSION = 0.1.0

PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
MANDIR  ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
DESTDIR ?=

CC      ?= cc
CFLAGS  ?= -O2 -g
WARN     = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wformat=2 -Wvla \
           -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wcast-qual -Wundef
HARDEN   = -fstack-protector-strong -fstack-clash-protection -fPIE \
           -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
STATIC   = -static-pie
LINK     = $(STATIC) -Wl,-z,relro,-z,now,-z,noexecstack
LIBS     = -lbsd -lmd -lm

# Build directory: every variant (sanitizers, coverage, clang) has its own.
B       ?= build/release
# Where the program is left; variants leave theirs in $(B).
BIN     ?= $(if $(filter build/release,$(B)),bdp,$(B)/bdp)

SRCS    := $(wildcard src/*.c src/*/*.c)
OBJS     = $(SRCS:src/%.c=$(B)/%.o)
LIBOBJS  = $(filter-out $(B)/main.o,$(OBJS))

all: $(BIN)

$(BIN): $(OBJS)
	$(CC) $(CFLAGS) $(HARDEN) $(LDFLAGS) $(LINK) -o $@ $(OBJS) $(LIBS)

$(B)/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -DBDP_VERSION='"$(VERSION)"' -Isrc $(WARN) $(WERROR) $(HARDEN) \
	    $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(OBJS:.o=.d)

# ---- tests ----------------------------------------------------------------------------------
UNITS    := $(wildcard tests/unit/test_*.c)
UNITBINS  = $(UNITS:tests/unit/%.c=$(B)/unit/%)

$(B)/unit/%: tests/unit/%.c $(LIBOBJS)
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -Isrc -Itests/unit $(WARN) $(WERROR) $(CPPFLAGS) $(CFLAGS) -fPIE -pie \
	    -MMD -MP -MF $@.d -o $@ $< $(LIBOBJS) $(LDFLAGS) -lcmocka $(LIBS)

-include $(UNITBINS:=.d)

unit: $(UNITBINS)
	@tests/run-units.sh $(UNITBINS)

clean:
	rm -rf build bdp

.PHONY: all unit clean
