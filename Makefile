# Habits; the logic is in meson.build and tools/.
B ?= build
MESON_FLAGS ?= -Dlto=true
run: all ; @tools/run-demo $(B)/tinysandbox
all: $(B)/build.ninja ; @ninja -C $(B) >$(B)/ninja.log || { cat $(B)/ninja.log; exit 1; }
$(B)/build.ninja: ; @echo "building in $(B), minutes at first: $(B)/ninja.log tells how far it is" ; tools/install-needs && CC=$${CC:-gcc} meson setup $(B) $(MESON_FLAGS) >$(B).log || { cat $(B).log; exit 1; }
check: all ; tools/check $(B)
oracle: ; @tools/spec.py oracle tests/spec/*/*.test tests/agent/*.test tests/cmd/*.test >oracle.tap; s=$$?; grep -v '^ok' oracle.tap; rm oracle.tap; exit $$s
asan: ; @tools/coverage --forget build-asan; SPEC_TIMEOUT=120 GCOV_ERROR_FILE=/dev/null $(MAKE) check B=build-asan MESON_FLAGS='-Doptimization=1 -Ddebug=false -Dc_args=-g1 -Db_sanitize=address,undefined -Db_lundef=false -Db_coverage=true'
clang: ; @$(MAKE) all B=build-clang CC=clang MESON_FLAGS=-Dwerror=true && tools/check build-clang unit
coverage: asan ; tools/coverage build-asan
fuzz: ; tools/fuzz
bench: all ; bench/run $(B)
docs: all ; tools/docs $(B)
fmt: ; clang-format -i $$(git ls-files '*.c' '*.h')
install: all ; ninja -C $(B) install
.PHONY: run all check oracle asan clang coverage fuzz bench docs fmt install
.DEFAULT_GOAL := all
