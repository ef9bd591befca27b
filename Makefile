# What a fresh machine with Swift on it needs is installed by the targets themselves.

SHELL := /bin/bash
.DEFAULT_GOAL := test
.PHONY: run tool install uninstall test lint setup zones terminals browsers chips machine bench bench-peers examples etcd etcd-messages etcd-versions torture fuzz sanitize docs sqlite

# Arguments of `portcullis guard`, such as ARGS="--timeout 5m -- vim notes.txt", or of a benchmark.
ARGS ?=
KEYSTORE_ARGS ?=

# The least version that has Argon2id.
GCRYPT := 1.10

# With Swift's runtime in it, where the toolchain has that as archives (all for Linux do), the tool starts in half the time and
# runs where no Swift is. Other flags than those of `swift build` want a folder of their own.
TOOLCHAIN := $(dir $(shell readlink -f "$$(command -v swift)"))
RUNTIMES := $(TOOLCHAIN)../lib/swift_static/linux
# The runtime needs C++'s library. As an archive it costs no search for symbols at each start; the linker takes an archive
# before a shared library only in a folder that has no shared one. The symbols of a program are of no use to others either.
CXX_ARCHIVE := $(shell "$(TOOLCHAIN)clang" -print-file-name=libstdc++.a 2>/dev/null)
STATIC := --static-swift-stdlib -Xlinker --no-export-dynamic
ifneq ($(findstring /,$(CXX_ARCHIVE)),)
STATIC += -Xlinker -L$(shell mkdir -p .build/archives && ln -sf "$(CXX_ARCHIVE)" .build/archives && cd .build/archives && pwd)
endif
# What `portcullis --version --verbose` says that it was built from; nothing where this is no clone.
COMMIT := $(shell [ ! -e .git ] || git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null)
# On a terminal SwiftPM asks the compiler for colours. For the compiler that is another build, so it is told not to.
BUILD := PORTCULLIS_COMMIT=$(COMMIT) swift build -c release --scratch-path .build/tool --no-color-diagnostics \
  $(if $(wildcard $(RUNTIMES)),$(STATIC))
BUILD_TOOL := $(BUILD) --product portcullis
PREFIX ?= $(HOME)/.local

run: setup
	@$(BUILD_TOOL)
	@"$$($(BUILD_TOOL) --show-bin-path)/portcullis" guard $(ARGS)

# Builds the tool and says where it is.
tool: setup
	@$(BUILD_TOOL) >&2
	@echo "$$($(BUILD_TOOL) --show-bin-path)/portcullis"

# Puts it into ~/.local/bin, or below another PREFIX, with manual pages and completions. BUILT=FOLDER takes what is built there.
BUILT ?=
INSTALLED = $(DESTDIR)$(PREFIX)
MAN = $(INSTALLED)/share/man/man1
FOR_BASH = "$(INSTALLED)/share/bash-completion/completions/portcullis"
FOR_ZSH = "$(INSTALLED)/share/zsh/site-functions/_portcullis"
FOR_FISH = "$(INSTALLED)/share/fish/vendor_completions.d/portcullis.fish"
COMPLETIONS = $(FOR_BASH) $(FOR_ZSH) $(FOR_FISH)

install: setup
	@$(if $(BUILT),,$(BUILD_TOOL) && $(BUILD) --product ManPages)
	@set -eo pipefail; umask 022; built="$(BUILT)"; [ -n "$$built" ] || built=$$($(BUILD_TOOL) --show-bin-path); \
	mkdir -p "$(INSTALLED)/bin" "$(MAN)"; for file in $(COMPLETIONS); do mkdir -p "$${file%/*}"; done; \
	install -s "$$built/portcullis" "$(INSTALLED)/bin/portcullis"; \
	date=$$({ [ -e .git ] && git log -1 --format=%cs 2>/dev/null; } || date +%F); \
	"$$built/portcullis" --experimental-dump-help | "$$built/ManPages" "$(MAN)" "$$("$$built/portcullis" --version)" "$$date"; \
	"$$built/portcullis" completions bash >$(FOR_BASH); \
	"$$built/portcullis" completions zsh >$(FOR_ZSH); \
	"$$built/portcullis" completions fish >$(FOR_FISH)

# Takes away what install put there; pages are known by their first line, so that no other program's are taken.
uninstall:
	@rm -f "$(INSTALLED)/bin/portcullis" $(COMPLETIONS)
	@for page in "$(MAN)"/portcullis.1 "$(MAN)"/portcullis-*.1; do \
	  if head -n 1 "$$page" 2>/dev/null | grep -q 'Made by ManPages of Portcullis'; then rm -f "$$page"; fi; \
	done

# COVERAGE=1 tells how much of the code they run, and asks for 90 % of its lines; it needs a build of its own.
test: setup zones terminals browsers chips
	@.ci/test $(if $(COVERAGE),--coverage)

lint:
	@swift format lint --strict --recursive Package.swift Sources Plugins Tests \
	  Benchmarks/Package.swift Benchmarks/Sources Benchmarks/*/Package.swift Benchmarks/*/Sources Benchmarks/Operations/Benchmarks \
	  Examples/*.swift Examples/*/ .ci/Mutants/Package.swift .ci/Mutants/Sources .ci/Mutants/Tests

# The long forms of the keystore's tests: every bit and length of a file, every call failing in every way, all that power
# failures may leave, and killed writers; and a thousand rounds of faults of a TPM. About a quarter of an hour on two cores.
torture: setup chips
	@PORTCULLIS_TORTURE=1 swift test --disable-xctest --filter '^GcryptKeystoreTests\.'
	@PORTCULLIS_TORTURE=1 swift test --disable-xctest --skip-build --filter '^ToolTests\.SecretKillTests'
	@PORTCULLIS_TORTURE=1 swift test --disable-xctest --skip-build --filter '^TPMTests\.FaultTests'
	@PORTCULLIS_TORTURE=1 swift test --disable-xctest --enable-all-traits --filter '^HummingbirdLockTests\.CountingTests'

# libFuzzer over the readers of the keystore's file, cron expressions and zone files, ten minutes each; FUZZ_SECONDS=30 for less.
fuzz: setup
	@.ci/fuzz

# The tests of core, features and keystore under AddressSanitizer and ThreadSanitizer, which need builds of their own.
sanitize: setup
	@.ci/sanitize

# The documentation of all products, as one archive under .build/docs; `docc preview` or any web server shows it.
docs: setup
	@.ci/docs

# The examples are a package of their own, which takes what a server needs, and SQLite for one of them.
# Of their tests eight run at once: all together hold more files than many machines allow one process.
examples: setup sqlite chips
	@SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 .ci/again swift test --package-path Examples --disable-xctest --

# Everything beside its peers, as far as those are installed (bench-peers installs them first). ARGS go to the cron scheduler's
# part, KEYSTORE_ARGS to the keystore's; each part is a command of its own, too.
bench: setup
	@KEYSTORE_ARGS="$(KEYSTORE_ARGS)" CRON_ARGS="$(ARGS)" Benchmarks/all

bench-peers: setup
	@KEYSTORE_ARGS="$(KEYSTORE_ARGS)" CRON_ARGS="$(ARGS)" Benchmarks/all --peers

setup:
	@if ! pkg-config --atleast-version=$(GCRYPT) libgcrypt 2>/dev/null; then \
	  if [ "$$(uname -s)" = Darwin ]; then \
	    command -v brew >/dev/null || { echo "libgcrypt is missing; install Homebrew first: https://brew.sh" >&2; exit 1; }; \
	    brew install libgcrypt pkg-config; \
	  elif command -v apt-get >/dev/null; then \
	    as_root=; if [ "$$(id -u)" -ne 0 ]; then as_root=sudo; fi; \
	    $$as_root apt-get update && \
	    $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends libgcrypt20-dev pkg-config; \
	  else \
	    echo "install libgcrypt $(GCRYPT) or later with its headers, and pkg-config" >&2; exit 1; \
	  fi && \
	  { pkg-config --atleast-version=$(GCRYPT) libgcrypt || \
	    { echo "libgcrypt is older than $(GCRYPT), which has no Argon2id" >&2; exit 1; }; }; \
	fi

# Named zones come from the system's files; zic and zdump, which some tests compare with, are the C library's.
zones:
	@if [ "$$(uname -s)" = Linux ] && [ ! -e /usr/share/zoneinfo/Europe/Riga ] && command -v apt-get >/dev/null; then \
	  as_root=; if [ "$$(id -u)" -ne 0 ]; then as_root='sudo -n'; fi; \
	  $$as_root apt-get update && \
	  $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends tzdata; \
	fi

# In these the lock screen is looked at, and words are completed; without them those tests are skipped, and say so.
terminals:
	@if ! { command -v tmux && command -v screen && command -v zsh && command -v fish; } >/dev/null && command -v apt-get >/dev/null; then \
	  as_root=; if [ "$$(id -u)" -ne 0 ]; then as_root='sudo -n'; fi; \
	  { $$as_root apt-get update && \
	    $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends tmux screen zsh fish; } || \
	    echo "tmux, screen, zsh and fish could not be installed; the tests that need them are skipped" >&2; \
	fi

# In these the lock's pages are used, in Chromium with passkeys too; without them those tests are skipped, and say so. Ubuntu has
# no package of Firefox ESR.
browsers:
	@if ! { command -v chromium && command -v chromedriver && command -v firefox-esr; } >/dev/null && command -v apt-get >/dev/null; then \
	  as_root=; if [ "$$(id -u)" -ne 0 ]; then as_root='sudo -n'; fi; \
	  { $$as_root apt-get update && \
	    $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium chromium-driver; } || \
	    echo "chromium and chromium-driver could not be installed; the tests that need them are skipped" >&2; \
	  $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends firefox-esr || \
	    echo "firefox-esr could not be installed; the tests that need it are skipped" >&2; \
	fi

# A TPM in software, what asks it, and what gives the tool another clock; without them those tests are skipped, and say so. The
# libraries are called otherwise in later versions of Debian and Ubuntu.
chips:
	@if ! { command -v swtpm && command -v tpm2_getcap && command -v faketime; } >/dev/null && command -v apt-get >/dev/null; then \
	  as_root=; if [ "$$(id -u)" -ne 0 ]; then as_root='sudo -n'; fi; \
	  { $$as_root apt-get update && \
	    $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends swtpm tpm2-tools faketime && \
	    { $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
	        libtss2-tctildr0 libtss2-tcti-swtpm0 libtss2-tcti-device0 || \
	      $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
	        libtss2-tctildr0t64 libtss2-tcti-swtpm0t64 libtss2-tcti-device0t64; }; } || \
	    echo "a TPM in software could not be installed; the tests that need one are skipped" >&2; \
	fi

# The TPM's tests once more, on the /dev/tpmrm0 of a small emulated machine.
machine: setup chips
	@if ! { command -v qemu-system-x86_64 && command -v busybox && command -v cpio && command -v strip; } >/dev/null; then \
	  as_root=; if [ "$$(id -u)" -ne 0 ]; then as_root=sudo; fi; \
	  $$as_root apt-get update && \
	  $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
	    qemu-system-x86 seabios busybox-static cpio binutils; \
	fi
	@.ci/machine

# On three nodes of it EtcdStore and the fleet are tried, the latter behind a proxy; without them those tests are skipped, and say so.
etcd:
	@if ! { command -v etcd && command -v etcdctl && command -v haproxy; } >/dev/null && command -v apt-get >/dev/null; then \
	  as_root=; if [ "$$(id -u)" -ne 0 ]; then as_root='sudo -n'; fi; \
	  $$as_root apt-get update && \
	  $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends etcd-server etcd-client haproxy; \
	fi

# The same tests on nodes of a second version of etcd, which PyPI has.
etcd-versions: setup
	@.ci/etcd-versions

# The Swift form of the messages that EtcdStore sends and gets, after a change of their description.
etcd-messages:
	@.ci/etcd-messages

sqlite:
	@if ! pkg-config --exists sqlite3 2>/dev/null && [ "$$(uname -s)" != Darwin ]; then \
	  if command -v apt-get >/dev/null; then \
	    as_root=; if [ "$$(id -u)" -ne 0 ]; then as_root=sudo; fi; \
	    $$as_root apt-get update && \
	    $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends libsqlite3-dev pkg-config; \
	  else \
	    echo "install SQLite with its headers, and pkg-config" >&2; exit 1; \
	  fi; \
	fi
