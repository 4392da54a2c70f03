# `make help` lists the targets. Everything that a build writes is below $(B).

B = build
PREFIX = /usr/local
DESTDIR =
CC = cc
CFLAGS = -O2 -g
UNIFONT = /usr/share/unifont/unifont.hex
# the file does not tell its version, but Debian knows that of its package
UNIFONT_VERSION := $(or $(shell dpkg-query -S $(UNIFONT) >/dev/null 2>&1 && \
	dpkg-query -W -f '$${Version}' unifont 2>/dev/null | sed 's/^.*://; s/-.*//'),of unknown version)

VERSION := $(shell sed -n 's/^.define QKV_VERSION "\(.*\)"/\1/p' include/qkv.h)
PKGS = libcjson libpng fribidi libutf8proc
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wcast-qual -Wvla
ALL_CFLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L -D_DARWIN_C_SOURCE $(WARN) -ffp-contract=off \
	'-ffile-prefix-map=$(CURDIR)=.' -Iinclude -Isrc $(shell pkg-config --cflags $(PKGS)) $(CFLAGS)
LIBS = $(shell pkg-config --libs $(PKGS)) -lm -pthread

# kernels: one text, compiled once for each instruction set of the machine's family
ARCH := $(shell $(CC) -dumpmachine | cut -d- -f1)
ISAS_x86_64 = portable avx2 avx512
ISAS_aarch64 = portable neon
ISAS = $(or $(ISAS_$(ARCH)),portable)
FLAGS_avx2 = -mavx2 -mfma -mbmi
FLAGS_avx512 = -mavx2 -mfma -mbmi -mavx512f -mavx512vl -mavx512bw -mavx512dq

ROOMS = base kern load attend write draw
ISA_SRC = $(wildcard src/kern/isa*.c)
LIB_SRC = $(filter-out $(ISA_SRC),$(foreach r,$(ROOMS),$(wildcard src/$r/*.c)))
LIB_OBJ = $(LIB_SRC:src/%.c=$(B)/%.o) $(B)/draw/glyphs.o \
	$(foreach i,$(ISAS),$(ISA_SRC:src/kern/%.c=$(B)/kern/$i/%.o))
CLI_OBJ = $(patsubst src/%.c,$(B)/%.o,$(wildcard src/cli/*.c))
UNIT = $(patsubst tests/unit/%.c,$(B)/tests/%,$(wildcard tests/unit/*_test.c))
MAN = $(B)/man/qkv.1 $(B)/man/qkv-attend.1
SHELLS = $(B)/completions/bash $(B)/completions/zsh $(B)/completions/fish

all: $(B)/qkv $(B)/libqkv.a $(B)/qkv.pc $(MAN) $(SHELLS) ## builds the program, the library, manual and completions

$(B)/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

define isa_rule
$(B)/kern/$1/%.o: src/kern/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_CFLAGS) -DQKV_ISA=$1 $$(FLAGS_$1) -MMD -MP -c -o $$@ $$<
endef
$(foreach i,$(ISAS),$(eval $(call isa_rule,$i)))

$(B)/libqkv.a: $(LIB_OBJ)
	rm -f $@
	$(AR) rcs $@ $^

$(B)/qkv: $(CLI_OBJ) $(B)/libqkv.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# ---- what programs of the build make ----

$(UNIFONT):
	@echo "$@ is missing: install GNU Unifont (Debian: apt-get install unifont), or get unifont.hex" >&2
	@echo "from https://unifoundry.com/unifont/ and say where it is: make UNIFONT=FILE" >&2
	@false

HOSTCC = cc
HOSTCFLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L -O1 -Iinclude -Isrc

$(B)/gen/glyphs: src/gen/glyphs.c
$(B)/gen/man $(B)/gen/completions: $(B)/gen/%: src/gen/%.c src/cli/table.c $(wildcard src/cli/*.def src/cli/*.h)
$(B)/gen/%:
	@mkdir -p $(@D)
	$(HOSTCC) $(HOSTCFLAGS) $(WARN) -o $@ $(filter %.c,$^)

$(B)/draw/glyphs.c: $(B)/gen/glyphs $(UNIFONT)
	@mkdir -p $(@D)
	$(B)/gen/glyphs $(UNIFONT) '$(UNIFONT_VERSION)' >$@

$(B)/draw/glyphs.o: $(B)/draw/glyphs.c
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(B)/man/%.1: man/%.1
	@mkdir -p $(@D)
	cp $< $@

$(B)/man/qkv-%.1: man/qkv-%.1.in $(B)/gen/man
	@mkdir -p $(@D)
	$(B)/gen/man $* <$< >$@

$(B)/completions/%: $(B)/gen/completions
	@mkdir -p $(@D)
	$(B)/gen/completions $* >$@

# made anew each time, since PREFIX may be another
$(B)/qkv.pc: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$${prefix}/lib' 'includedir=$${prefix}/include' '' 'Name: qkv' \
		'Description: attention matrices, row block by row block' 'Version: $(VERSION)' 'Cflags: -I$${includedir}' \
		'Requires: $(PKGS)' 'Libs: -L$${libdir} -lqkv -lm -pthread' >$@

# ---- tests ----

$(B)/tests/%: tests/unit/%.c $(B)/libqkv.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Itests -MMD -MP -o $@ $< $(B)/libqkv.a $(LDFLAGS) -lcmocka $(LIBS)

test: all $(UNIT) ## runs the tests of the code and of the command line
	B=$(B) tests/run unit cli docs

check: all $(UNIT) ## runs test, and holds the house against its rules
	B=$(B) CC="$(CC)" tests/run unit cli docs reference house

test-all-floats: $(B)/tests/number_all ## writes and reads all 2^32 float32 patterns; takes minutes
	$(B)/tests/number_all

SAN = $(MAKE) B=$(B)/$@ CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=$1" test
asan: ## runs test under the address and leak sanitizers
	+$(call SAN,address)
ubsan: ## runs test under the sanitizer of undefined behaviour
	+$(call SAN,undefined -fno-sanitize-recover=all)
tsan: ## runs test under the thread sanitizer
	+$(call SAN,thread)
valgrind: all $(UNIT) ## runs the tests of the code under valgrind
	B=$(B) tests/run valgrind

# the libraries of the other machine come from its distribution's packages, :arm64 on Debian
aarch64: ## builds for AArch64, and runs the tests of the code under qemu-user
	PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig $(MAKE) B=$(B)/$@ CC=aarch64-linux-gnu-gcc all tests-built
	B=$(B)/$@ tests/run qemu

tests-built: $(UNIT)

# ---- speed ----

# the program enters its own folder, and finds qkv above it
BENCH = $(B)/bench/bench $(B)/bench/empty $(addprefix $(B)/bench/,$(addsuffix .json,numbers-512 python-512 short-3 \
	tokens-512 ready-128 columns-100000 columns-200000))
PEERS = numpy torch pysimdjson orjson polars opencv-python-headless fpng-py matplotlib

define peak_rule
$(B)/bench/peak-$1.o: tests/bench/peak.c src/kern/isa.h
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_CFLAGS) -DQKV_ISA=$1 $$(FLAGS_$1) -c -o $$@ $$<
endef
$(foreach i,$(ISAS),$(eval $(call peak_rule,$i)))

$(B)/bench/bench: $(filter-out %/peak.c %/empty.c,$(wildcard tests/bench/*.c)) $(ISAS:%=$(B)/bench/peak-%.o) \
		$(B)/libqkv.a tests/bench/bench.h
	$(CC) $(ALL_CFLAGS) -Itests -o $@ $(filter-out %.h,$^) $(LDFLAGS) $(LIBS)

$(B)/bench/empty: tests/bench/empty.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -o $@ $<

$(B)/bench/%.json: $(B)/bench/bench
	$< --document $* >$@

bench: all $(BENCH) ## measures every stage, and what others need where bench-peers was made; BENCHFLAGS='--only layer'
	@$(B)/bench/bench $(BENCHFLAGS)
	@if [ -x $(B)/peers/bin/python ]; then $(B)/peers/bin/python tests/bench/peers.py $(B) $(BENCHFLAGS); \
		else echo 'nothing to compare with: make bench-peers installs others' >&2; fi

bench-peers: ## installs what bench compares with, about 6 GB, into a virtual environment
	python3 -m venv $(B)/peers
	for p in $(PEERS); do $(B)/peers/bin/pip install --quiet $$p || echo "$$p: left out" >&2; done

# ---- use ----

demo: all ## makes build/demo.png, and shows the same heads in the terminal
	$(B)/qkv attend data/cat.json -o $(B)/demo.png
	$(B)/qkv attend data/cat.json

# FILE:FOLDER:NAME:MODE of what is installed
SHARED = share/doc/qkv
INSTALLED = $(B)/qkv:bin:qkv:755 $(B)/libqkv.a:lib:libqkv.a:644 $(B)/qkv.pc:lib/pkgconfig:qkv.pc:644 \
	include/qkv.h:include:qkv.h:644 $(foreach m,$(MAN),$m:share/man/man1:$(notdir $m):644) \
	$(B)/completions/bash:share/bash-completion/completions:qkv:644 \
	$(B)/completions/zsh:share/zsh/site-functions:_qkv:644 \
	$(B)/completions/fish:share/fish/vendor_completions.d:qkv.fish:644 \
	README.md:$(SHARED):README.md:644 LICENSE:$(SHARED):LICENSE:644 \
	$(foreach d,$(wildcard data/*),$d:$(SHARED)/examples:$(notdir $d):644)
EACH = for row in $(INSTALLED); do IFS=:; set -- $$row; unset IFS; to='$(DESTDIR)$(PREFIX)'/$$2

install: all ## copies it all below $(DESTDIR)$(PREFIX)
	@set -e; $(EACH); install -d "$$to"; install -m "$$4" "$$1" "$$to/$$3"; done

uninstall: ## removes what install has copied
	@$(EACH); rm -f "$$to/$$3"; done; rm -rf '$(DESTDIR)$(PREFIX)/$(SHARED)'

clean: ## removes all that was built
	rm -rf $(B)

help: ## prints this list
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/\1: \2/p' Makefile | while IFS=: read -r t text; do \
		printf '%-16s%s\n' "$$t" "$${text# }"; done

FORCE:
.PHONY: FORCE all test check test-all-floats asan ubsan tsan valgrind aarch64 tests-built bench bench-peers demo install uninstall clean help
.DELETE_ON_ERROR:
.SECONDARY:
-include $(shell find $(B) -name '*.d' -not -path '$(B)/*san/*' -not -path '$(B)/aarch64/*' 2>/dev/null)
