# The two commands of this project, and a few for those who work on it. See README.md.

BUILD := build/release
JOBS := 2

.PHONY: help demo test build packages format bench clean

help:
	@echo "make demo    install what is missing, build, and let a real language model answer"
	@echo "make test    build everything and run every test"
	@echo "make build   build the release preset"
	@echo "make format  format the sources"
	@echo "make bench   compare with llama.cpp on this machine (see bench/README.md)"
	@echo "make clean   remove the build folder"

packages:
	@scripts/install_packages.sh

build: packages
	@mkdir -p build
	@test -f $(BUILD)/build.ninja || cmake --preset release
	@cmake --build $(BUILD) -j $(JOBS)

demo: packages
	@scripts/demo.sh

test: packages
	@scripts/test.sh

bench: build
	@bench/compare_llama_cpp.py

format:
	@git ls-files '*.cpp' '*.h' '*.c' | xargs clang-format-22 -i

clean:
	rm -rf build
