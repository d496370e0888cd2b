# Language, warnings, sanitizers, ccache and the packages that the whole tree uses.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(RELAX_CCACHE ccache)
if(RELAX_CCACHE)
  # A precompiled header is the same if its text is; ccache must be told so.
  set(launcher "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${RELAX_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${launcher}")
  set(CMAKE_C_COMPILER_LAUNCHER "${launcher}")
endif()

add_compile_options(-Wall -Wextra -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of impossible copies inside std::string's operator+ (GCC bug 105651) and of vectors
  # that grow, and of std::optional values that are read only where they are set.
  add_compile_options(-Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds
                      -Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Needed by ccache to reuse objects that were built with a precompiled header.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  set(CMAKE_PCH_INSTANTIATE_TEMPLATES ON)
endif()

if(RELAX_BUILD_FUZZERS)
  # So that libFuzzer sees which branches of the libraries an input takes.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(RELAX_SANITIZE)
  add_compile_options(-fsanitize=${RELAX_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${RELAX_SANITIZE})
endif()

include_directories("${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}")

find_package(fmt REQUIRED)
find_package(Threads REQUIRED)

if(RELAX_BUILD_COMPILER)
  # MLIR's package accepts its exact version only, so the major one is checked here.
  find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
  if(NOT LLVM_VERSION_MAJOR EQUAL 22)
    message(FATAL_ERROR "Relax needs LLVM and MLIR 22; found ${LLVM_VERSION}")
  endif()
  list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)
  set(RELAX_LLVM_TOOLS_DIR "${LLVM_TOOLS_BINARY_DIR}")
endif()

if(RELAX_BUILD_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
endif()
