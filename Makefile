# The commands of this project. `make demo` and `make test` install what is missing.

PREFIX ?= /usr/local
SWIFT_FILES = $$(git ls-files '*.swift')
TOOL = .build/release/tracks-migrate
BENCHMARKS = Tests/Benchmarks/.build/release

SEED ?= 1

# See Package.swift.
export BUILD_FOR_TESTS = 1

.PHONY: help deps build demo test app-team-test swiftdata-app-test cluster-test browser-test pictures crash model differential fuzz mutate sanitize docs format lint bench microbench dist dist-test install \
  uninstall samples record clean

help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## Install the C libraries that are missing, with apt or brew.
	@Scripts/install-dependencies.sh

build: deps ## Build the command, optimised.
	@Scripts/build-release.sh

demo: build ## Migrate a copy of the sample library and show its artists.
	@Scripts/demo.sh $(TOOL)

test: ## Run all tests.
	@Scripts/install-dependencies.sh sqlite3
	@Scripts/test.sh

app-team-test: ## Build and test the tutorial's package as an app's team does, without yajl; as root where yajl is installed.
	@Scripts/app-team-test.sh

swiftdata-app-test: ## Build and test the example with SwiftData as a package of its own, whose macros the toolchain compiles.
	@Scripts/swiftdata-app-test.sh

cluster-test: deps ## Run the cluster parts with a real Spark: TRACKS= tracks, ARGUMENTS= of pytest.
	@Scripts/cluster-test.sh $(ARGUMENTS)

browser-test: deps ## Open reports and pictures in a real browser: ARGUMENTS= of pytest.
	@Scripts/browser-test.sh $(ARGUMENTS)

differential: deps ## Compare random migrations with slow, obvious programs: COUNT= cases of each kind, from SEED= on.
	@Scripts/differential.sh "$(COUNT)" "$(SEED)"

crash: deps ## Disturb migrations at every call (SEED=, SECONDS=, COUNT=, ONLY=); continues where it stopped.
	@swift build --build-tests
	@CRASH_SWEEP=1 CRASH_SEED="$(SEED)" CRASH_SECONDS="$(SECONDS)" CRASH_COUNT="$(COUNT)" CRASH_ONLY="$(ONLY)" \
	  swift test --disable-xctest --skip-build --filter CrashSweepTests > .build/crash-log.txt; \
	  status=$$?; cat .build/crash/figures.txt; exit $$status

model: ## Check the model of the swap in every interleaving, and that each of its rules is needed.
	@Scripts/install-dependencies.sh spin gcc
	@Scripts/model.sh

fuzz: deps ## Run a fuzzer for every parser, a minute each (SECONDS_PER_TARGET=, SEED=).
	@Scripts/fuzz.sh

# For example: make mutate SEED=7 COUNT=100 MODULES=SQLite,Expressions SECONDS=3600, or AT=StagingFile.swift:82
mutate: deps ## Change the sources in small ways and list what no test notices; continues where it stopped.
	@Scripts/install-dependencies.sh $$(command -v python3 >/dev/null 2>&1 || echo python3)
	@python3 Scripts/mutate/mutate.py --seed "$(SEED)" $(if $(COUNT),--count $(COUNT)) \
	  $(if $(MODULES),--modules $(MODULES)) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(AT),--at $(AT)) \
	  $(if $(SUITES),--suites '$(SUITES)')

sanitize: deps ## Run all tests with the address sanitizer, then with the thread sanitizer; takes long.
	@Scripts/sanitize.sh

docs: deps ## Build the site, in .build/site: a landing page, a live report, the documentation (BASE= where it is served).
	swift build
	@Scripts/documentation.sh .build/debug/Modules .build/debug/tracks-migrate .build/site

format: ## Format all Swift files.
	swift format format --in-place --parallel $(SWIFT_FILES)

lint: ## Check the format of all Swift files and the syntax of all scripts.
	swift format lint --strict --parallel $(SWIFT_FILES)
	for script in Scripts/*.sh Tests/Benchmarks/*.sh .ci/run; do sh -n "$$script" || exit 1; done

# For example: make bench TRACKS=100000 RUNS=3 ROWS=sql,memory RECORD=Tests/Benchmarks/RESULTS.md
bench: build ## Run the benchmarks against the alternatives; see Tests/Benchmarks/README.md.
	@Scripts/install-dependencies.sh $$(command -v sqlite3 >/dev/null 2>&1 || echo sqlite3)
	@Scripts/python-packages.sh .build/benchmarks Tests/Benchmarks/requirements.txt
	swift build --configuration release --package-path Tests/Benchmarks
	@# As it is installed: Linux maps what a linker has written in smaller pieces.
	@install $(TOOL) $(BENCHMARKS)/tracks-migrate
	@$(BENCHMARKS)/benchmark --tool $(BENCHMARKS)/tracks-migrate --checkout . $(if $(TRACKS),--tracks $(TRACKS)) \
	  $(if $(RUNS),--runs $(RUNS)) $(if $(ROWS),--rows $(ROWS)) $(if $(RECORD),--record $(RECORD)) \
	  $(if $(WORK),--work $(WORK))

microbench: deps ## Measure the parts of the engine one by one.
	swift build --configuration release --product microbench
	@.build/release/microbench $(PARTS)

pictures: build ## Make the pictures of the README and the site: a recording of the terminal, a report.
	@Scripts/pictures.sh $(TOOL)

samples: build ## Reproduce the sample libraries, byte for byte.
	Scripts/regenerate-samples.sh $(TOOL)

record: deps ## Write the tables, counts and transcripts that tests compare, and show which have changed.
	@swift build --build-tests
	@RECORD_TRANSCRIPTS=1 swift test --disable-xctest --skip-build --filter 'PresetDocumentationTests|ServicesTests|TranscriptTests' || true
	@git status --short

dist: deps ## Build what people install, in .build/dist/out: a static binary, a tarball, a Debian package, checksums.
	@Scripts/dist.sh

dist-test: ## Try it in an empty root, Debian 11 and 12 and Ubuntu 24.04; as root.
	@Scripts/dist-test.sh

install: ## Install what `make build` has built, its completions and its man page under PREFIX.
	@test -x $(TOOL) || { echo "make: run 'make build' first" >&2; exit 1; }
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1" \
	  "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" \
	  "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	install $(TOOL) "$(DESTDIR)$(PREFIX)/bin/tracks-migrate"
	$(TOOL) --generate-man-page > "$(DESTDIR)$(PREFIX)/share/man/man1/tracks-migrate.1"
	$(TOOL) --generate-completion-script bash > "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/tracks-migrate"
	$(TOOL) --generate-completion-script zsh > "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_tracks-migrate"
	$(TOOL) --generate-completion-script fish > "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/tracks-migrate.fish"

uninstall: ## Remove what `make install` has installed.
	rm -f "$(DESTDIR)$(PREFIX)/bin/tracks-migrate" "$(DESTDIR)$(PREFIX)/share/man/man1/tracks-migrate.1" \
	  "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/tracks-migrate" \
	  "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_tracks-migrate" \
	  "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/tracks-migrate.fish"

clean: ## Remove everything that was built.
	rm -rf .build Tests/Benchmarks/.build
