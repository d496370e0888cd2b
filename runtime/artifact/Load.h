//===- Load.h - read an artifact, believing nothing -------------------------------------------===//
//
// From bytes to an artifact::Module in four steps, each of which stops at the first fault and says
// where it is: the header (magic, versions, length), the checksum, the FlatBuffer's own structure,
// and the meaning: every number that names something, every size, every jump.
//
// The rules, which `verify` checks:
//
//  R1  Names of functions, kernels and symbols are not empty; those of functions and kernels are
//      unique; names of kernels are C identifiers.
//  R2  A slot operation uses earlier slots only; a Dimension names a dimension that exists, in a
//      general function among the entry slots only; registers that a slot reads exist. A kernel's
//      slots use its symbols, constants and earlier slots.
//  R3  Every slot reference of types, symbols, guards, buffers, patterns and instructions exists.
//  R4  Ranks are at most maxRank; dims of constants and states are >= 0 and their sizes fit int64.
//  R5  An inline constant has the size of its type; one in a file lies inside the file.
//  R6  A result's alias is a donated parameter of the same dtype and rank, and no other's.
//  R7  Guards name parameters and dimensions that exist; those that read values read i32 or i64;
//      those of general functions that read values name registers that exist.
//  R8  Buffers name things that exist; one in the arena has an offset and a size, and the function
//      has an arena.
//  R9  Instructions name kernels, libraries, functions, buffers, registers, guards and patterns
//  that
//      exist, with as many buffers and slots as the callee has; jumps stay inside the code and go
//      forward in planned functions; the last instruction is a Return.
//  R10 No planned function calls itself, directly or through other planned ones; their calls nest
//  at
//      most maxCallDepth deep. Calls of general functions are bounded when they run.
//  R11 "initialize" is planned, has no parameters, and one result for each state, of its dtype and
//      rank. States without it are a fault. Nothing calls it, and it reads no state.
//  R12 With kernels there is a code object; each has a target. Levels name code objects that exist.
//      A call of a library function whose tensors are recorded has as many buffers, and the slots
//      of their dimensions and of its options. Thresholds name libraries that exist.
//  R13 Fields of a pattern are earlier patterns; only tensors and shapes have dims, only tuples
//      fields.
//  R14 A general function has registers for its parameters, no more than maxRegisters, a pattern
//  for
//      each parameter and result, and no arena; a planned one has nothing of that. No general
//      function is captured.
//  R15 A captured function that calls functions calls captured ones only, of which none reads
//      elements at its door or shares a result's storage with an argument; and neither they nor it
//      call libraries.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"
#include "runtime/support/Status.h"

#include <memory>
#include <span>
#include <string>

namespace relax::artifact {

inline constexpr uint32_t maxCallDepth = 32;

/// A module whose big parts (inline constants, code objects) are borrowed from `storage`.
struct LoadedArtifact {
  Module module;
  std::shared_ptr<const void> storage;
  uint64_t fileSize = 0;
  uint64_t checksum = 0;
};

/// Whether the bytes begin as an artifact does, of whatever version.
bool isArtifact(std::span<const uint8_t> bytes);

/// Reads and verifies the artifact at `path`, which stays mapped. Messages begin with the path.
Expected<LoadedArtifact> loadFile(const std::string &path);

/// The same of bytes, which are copied; `name` stands for the path in messages.
Expected<LoadedArtifact> loadBytes(std::span<const uint8_t> bytes, const std::string &name);

/// Checks the rules above.
Status verify(const Module &module);

} // namespace relax::artifact
