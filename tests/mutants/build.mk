# Builds for run.sh, on top of the Makefile of the project: everything but main in one shared library,
# so that a change of one source is one compilation and one link whatever tests use it.
#
#     make -f tests/mutants/build.mk B=DIR ready                 the program and the unit tests
#     make -f tests/mutants/build.mk B=DIR M=DIR F=src/x/y.c mutant-objects mutant
#                                                            the library with that source from M
BIN = $(B)/unused
include Makefile
.DEFAULT_GOAL = ready

SHARED  = $(B)/libbdp.so
M      ?= $(B)/mutant
RUNPATH = -Wl,-rpath,'$(abspath $(B))/now'

$(SHARED): $(LIBOBJS)
	$(CC) -shared -Wl,-soname,libbdp.so -o $@ $(LIBOBJS) $(LIBS)
	@mkdir -p $(B)/now && cp $@ $(B)/now/

$(B)/shared/%: tests/unit/%.c $(SHARED)
	@mkdir -p $(@D)
	$(COMPILE) -Itests/unit -MF $@.d -o $@ $< $(SHARED) $(RUNPATH) -lcmocka $(LIBS)

$(B)/bdp: $(B)/main.o $(SHARED)
	$(CC) -o $@ $(B)/main.o $(SHARED) $(RUNPATH)

$(B)/shared-tools/%: tests/tools/%.c $(SHARED)
	@mkdir -p $(@D)
	$(COMPILE) -MF $@.d -o $@ $< $(SHARED) $(RUNPATH) $(LIBS)

ready: $(B)/bdp $(UNITS:tests/unit/%.c=$(B)/shared/%) $(B)/shared-tools/features $(B)/shared-tools/fit

# The sources to compile again: the changed one, or those that include the changed header.
WHOM = $(if $(filter %.h,$(F)),$(patsubst $(B)/%.d,src/%.c,$(shell grep -l -F ' $(F)' $(LIBOBJS:.o=.d))),$(F))
AGAIN = $(WHOM:src/%.c=%)

mutant-objects:
	@set -e; for name in $(AGAIN); do \
	    from=$(M)/$$name.c; [ -f $$from ] || from=src/$$name.c; \
	    mkdir -p $(M)/objects/$${name%/*}; \
	    $(CC) -std=c11 -D_GNU_SOURCE -DBDP_VERSION='"$(VERSION)"' -I$(M) -Isrc $(CFLAGS) $(HARDEN) -w \
	        -c -o $(M)/objects/$$name.o $$from; done

mutant:
	@$(CC) -shared -Wl,-soname,libbdp.so -o $(B)/now/libbdp.so $(filter-out $(AGAIN:%=$(B)/%.o),$(LIBOBJS)) \
	    $(AGAIN:%=$(M)/objects/%.o) $(LIBS)
