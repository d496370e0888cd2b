# The kinds of target that the tree has. Every CMakeLists.txt uses these and nothing else.

# relax_precompile(name kind): compiles cmake/<kind>Precompiled.h once for all targets of this kind.
# Files still include what they use: a build with CMAKE_DISABLE_PRECOMPILE_HEADERS=ON shows it.
function(relax_precompile name kind)
  set(pch relax_${kind}_pch)
  if(NOT TARGET ${pch})
    file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/pch/empty.cpp" CONTENT "") # Keeps its time: no rebuild.
    add_library(${pch} OBJECT "${CMAKE_BINARY_DIR}/pch/empty.cpp")
    if(kind STREQUAL "Mlir")
      relax_mlir_settings(${pch})
    elseif(kind STREQUAL "Tool")
      target_link_libraries(${pch} PRIVATE fmt::fmt CLI11::CLI11 nlohmann_json::nlohmann_json)
    elseif(kind STREQUAL "Test")
      target_link_libraries(${pch} PRIVATE fmt::fmt GTest::gtest)
    else()
      target_link_libraries(${pch} PRIVATE fmt::fmt)
    endif()
    target_precompile_headers(${pch} PRIVATE "${CMAKE_SOURCE_DIR}/cmake/${kind}Precompiled.h")
  endif()
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_compile_options(${name} PRIVATE -fPIC) # As the header is.
  endif()
  target_precompile_headers(${name} REUSE_FROM ${pch})
endfunction()

# relax_library(name SOURCES a.cpp ... [DEPENDS lib ...] [PRECOMPILED kind]): a static library without MLIR.
function(relax_library name)
  cmake_parse_arguments(arg "" "PRECOMPILED" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC ${arg_DEPENDS})
  if(NOT arg_PRECOMPILED)
    set(arg_PRECOMPILED Standard)
  endif()
  relax_precompile(${name} ${arg_PRECOMPILED})
endfunction()

# relax_mlir_settings(name): what a target needs to include MLIR's and LLVM's headers.
function(relax_mlir_settings name)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Before LLVM's own: see cmake/gcc/llvm/Support/TypeName.h.
    target_include_directories(${name} BEFORE PUBLIC "${CMAKE_SOURCE_DIR}/cmake/gcc")
  endif()
  target_include_directories(${name} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(${name} PUBLIC ${definitions})
endfunction()

# relax_mlir_library(name SOURCES ... [DEPENDS ...]): a static library that uses MLIR.
function(relax_mlir_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  relax_mlir_settings(${name})
  target_link_libraries(${name} PUBLIC ${arg_DEPENDS} MLIR LLVM)
  relax_precompile(${name} Mlir)
endfunction()

# relax_test(name [MLIR] SOURCES ... [DEPENDS ...] [ARGS ...] [LABELS ...]): a GoogleTest program that
# ctest runs; MLIR: it includes MLIR's headers.
function(relax_test name)
  cmake_parse_arguments(arg "MLIR" "" "SOURCES;DEPENDS;ARGS;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} GTest::gtest GTest::gtest_main)
  if(arg_MLIR)
    relax_precompile(${name} Mlir)
  else()
    relax_precompile(${name} Test)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  add_test(NAME ${name} COMMAND ${name} ${arg_ARGS})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS "${arg_LABELS}")
endfunction()

# relax_fuzzer(name SOURCES ... DEPENDS ...): a libFuzzer program; built where RELAX_BUILD_FUZZERS is on.
function(relax_fuzzer name)
  if(NOT RELAX_BUILD_FUZZERS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS})
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz")
endfunction()
