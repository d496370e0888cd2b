//===- Artifact.h - what a compiled module holds ----------------------------------------------===//
//
// Plain structs that mirror an artifact (.rlx) one to one: the compiler fills a Module and writes
// it, the runtime loads one and runs it. Nothing here computes. The format on disk is described in
// docs/artifact.md and runtime/artifact/artifact.fbs.
//
// How a function is run:
//
//  1. Every `slot` is evaluated once, in order: an int64 value that is a constant, a dimension of
//     an argument, or an operation on two earlier slots. Everything whose value depends on the
//     shapes (dimensions, offsets, extents, symbol values of kernels) is the number of a slot.
//  2. Arguments are checked against parameters: count, rank, dtype, and each dimension against the
//     value of its slot; then the ranges and divisors of symbols; then the guards, in order.
//  3. One arena of `arenaSize` bytes is at hand, 64-byte aligned; buffers get their addresses.
//  4. `code` runs from instruction 0 to a Return. Jumps go forward only, and no function calls
//     itself, directly or through others, so that every call ends.
//
// `verify` in Load.h lists the rules that a well-formed Module obeys; the writer and the loader
// check all of them.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Metadata.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace relax::artifact {

/// The version of the format on disk; a loader reads exactly its own.
inline constexpr uint32_t formatVersion = 1;

/// The version of the contract between the runtime and kernels in code objects:
///   extern "C" void k(void *const *buffers, const int64_t *symbols, int64_t begin, int64_t end);
/// `buffers` and `symbols` are the instruction's, in order; the kernel does the units [begin, end)
/// of [0, extent). It may be called from any thread, for several ranges at once.
inline constexpr uint32_t kernelAbiVersion = 1;

/// Alignment in bytes of the arena, of states, and of inline constants.
inline constexpr uint64_t bufferAlignment = 64;

enum class DType : uint8_t { F32, F16, BF16, F64, I8, U8, I16, I32, I64, Bool };
inline constexpr uint8_t numDTypes = 10;

/// Size of one element in bytes.
uint64_t byteSize(DType dtype);
/// "f32", "i8", "bool", …
const char *name(DType dtype);

/// The number of a slot of a function.
using Slot = uint32_t;
/// Stands where a slot is optional and there is none.
inline constexpr Slot noSlot = UINT32_MAX;

/// How a slot gets its value. All arithmetic is checked for overflow at run time.
struct SlotOp {
  enum Kind : uint8_t {
    Constant,  ///< a
    Dimension, ///< dimension b of the argument for parameter a
    Add,       ///< from here on, a and b are earlier slots
    Sub,
    Mul,
    FloorDiv, ///< towards minus infinity; b <= 0 is a run-time error, as for the next two
    CeilDiv,  ///< towards plus infinity
    Mod,      ///< a - b * floordiv(a, b): never negative
    Min,
    Max,
    LessEqual, ///< 1 where a <= b, else 0
  };
  static constexpr uint8_t numKinds = 11;
  Kind kind = Constant;
  int64_t a = 0;
  int64_t b = 0;
};

struct TensorType {
  DType dtype = DType::F32;
  std::vector<Slot> dims; ///< Row-major, contiguous. At most maxRank.
};
inline constexpr size_t maxRank = 8;

/// A named symbol of a signature, for checks and for messages. Its slot is usually the Dimension
/// where it first occurs. Messages print a slot that is a symbol's by the symbol's name.
struct Symbol {
  std::string name;
  int64_t lo = 0;
  std::optional<int64_t> hi; ///< Inclusive.
  int64_t divisor = 1;       ///< At least 1.
  Slot slot = noSlot;
};

struct Parameter {
  std::string name;
  TensorType type;
  bool donated = false; ///< The call may overwrite it, and a result may share its storage.
};

struct Result {
  std::string name;
  TensorType type;
  int32_t alias = -1; ///< The donated parameter whose storage this is, or -1. Same dtype and size.
};

/// A check that fails the call. Dimensions of parameters are checked without one.
struct Guard {
  enum Kind : uint8_t {
    Equal,         ///< a == b
    LessEqual,     ///< a <= b
    Divides,       ///< a divides b; a > 0
    ValuesInRange, ///< every element e of the i32 or i64 `parameter`: 0 <= e < a
    Ragged,        ///< see below
  };
  static constexpr uint8_t numKinds = 5;
  Kind kind = Equal;
  /// Which argument, and which dimension of it, the check is about: for the message, and for
  /// ValuesInRange and Ragged also what to read. -1 where there is none.
  ///
  /// Ragged: `parameter` is an i32 [s + 1] of starts, `axis` is not an axis but the parameter with
  /// the s cached lengths, i32. starts[0] is 0, starts do not decrease, starts[s] == a; every
  /// cached length is >= 0, and cached[i] + starts[i + 1] - starts[i] <= b.
  int32_t parameter = -1;
  int32_t axis = -1;
  Slot a = noSlot;
  Slot b = noSlot;        ///< noSlot for ValuesInRange.
  std::string expression; ///< What must hold, as its author wrote it, such as "m <= 2 * n".
  std::string source;     ///< Where it was written, such as "model.mlir:12:3"; may be empty.
};

/// A piece of memory that instructions name by its number.
struct Buffer {
  enum Kind : uint8_t { Parameter, Result, Arena, Constant, State };
  static constexpr uint8_t numKinds = 5;
  Kind kind = Arena;
  /// Which parameter, result, constant or state; 0 for Arena.
  uint32_t index = 0;
  /// Arena only, in bytes: the offset is a multiple of bufferAlignment, and offset + size <=
  /// arenaSize. noSlot otherwise: the buffer is the whole of what it names.
  Slot offset = noSlot;
  Slot size = noSlot;
};

struct Instruction {
  enum Op : uint8_t {
    CallKernel,   ///< kernels[target](buffers, slots) for [0, value of extent)
    CallLibrary,  ///< the host function libraries[target](buffers, slots); see vm/Registry.h
    CallFunction, ///< functions[target]; buffers: its arguments, then its results; slots: the
                  ///< dimensions of its arguments, concatenated in order
    BranchIfZero, ///< to instruction `target` if the value of slots[0] is 0
    Jump,         ///< to instruction `target`
    Return,
  };
  static constexpr uint8_t numOps = 6;
  Op op = Return;
  uint32_t target = 0; ///< A branch's must be after the instruction itself.
  std::vector<uint32_t> buffers;
  std::vector<Slot> slots;
  /// CallKernel only. The kernel is not called at all if the extent is 0. The cost is about the
  /// scalar operations of the whole call; the runtime stays on one thread if it is small.
  Slot extent = noSlot;
  Slot cost = noSlot;
};

struct Function {
  std::string name;
  std::vector<Symbol> symbols;
  std::vector<SlotOp> slots;
  std::vector<Parameter> parameters;
  std::vector<Result> results;
  std::vector<Guard> guards;
  std::vector<Buffer> buffers;
  std::vector<Instruction> code;
  Slot arenaSize = noSlot;             ///< Bytes; noSlot for none.
  std::optional<int64_t> arenaMaximum; ///< The most that it can be, where bounds are known.
};

/// A kernel: an exported function of every code object, by its name.
struct Kernel {
  std::string name;
  std::string strategy; ///< How it was scheduled; for people.
};

/// Bytes that are either held here (the writer's side) or borrowed from a loaded file, which the
/// LoadedArtifact keeps.
class Bytes {
public:
  Bytes() = default;
  Bytes(std::vector<uint8_t> bytes) : owned(std::move(bytes)) {}
  static Bytes borrow(std::span<const uint8_t> bytes) {
    Bytes result;
    result.borrowed = bytes;
    return result;
  }
  [[nodiscard]] std::span<const uint8_t> span() const {
    return owned.empty() ? borrowed : std::span<const uint8_t>(owned);
  }
  [[nodiscard]] size_t size() const { return span().size(); }
  [[nodiscard]] bool empty() const { return span().empty(); }

private:
  std::vector<uint8_t> owned;
  std::span<const uint8_t> borrowed;
};

/// The kernels, as a shared object for one CPU level. Of several, the loader takes the one with the
/// most features of those whose features the CPU has all; the earlier one of equals.
struct CodeObject {
  std::string target;                ///< "x86-64-v3", …; for people.
  std::vector<std::string> features; ///< LLVM's names: "avx2", "fma", "f16c", "avx512vnni", …
  Bytes image;                       ///< An ELF shared object for this machine's architecture.
};

/// A tensor that is known at compile time: inline bytes, or a range of a weights file.
struct Constant {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> dims;
  Bytes data;          ///< Inline: its size is that of the type. Empty if file >= 0.
  int32_t file = -1;   ///< Which of the weights files, or -1.
  uint64_t offset = 0; ///< In the file, in bytes; a multiple of the element's size.
  uint64_t size = 0;   ///< In bytes; that of the type. 0 is fine for an inline constant.
  uint64_t hash = 0;   ///< contentHash (ContentHash.h) of the range. Required if file >= 0.
};

/// A file beside the artifact that constants point into. It is mapped, never copied.
struct WeightsFile {
  std::string path; ///< Absolute, or relative to the artifact's folder.
  uint64_t size = 0;
  /// contentHash of the first min(size, headerHashBytes) bytes: checked at each start.
  uint64_t headerHash = 0;
};
inline constexpr uint64_t headerHashBytes = 65536;

/// A tensor that the function "initialize" computes when the module is loaded: its result j is
/// state j, of the same dtype and dims. Constants that only "initialize" uses leave memory then.
struct State {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> dims;
};

/// The name of the function that fills the states. It has no parameters.
inline constexpr const char *initializeName = "initialize";

struct Module {
  std::string compilerVersion;
  Metadata metadata;
  std::vector<WeightsFile> files;
  std::vector<Constant> constants;
  std::vector<State> states;
  std::vector<Kernel> kernels;
  std::vector<std::string> libraries; ///< Names of the host functions that CallLibrary needs.
  std::vector<CodeObject> objects;    ///< At least one if there are kernels.
  std::vector<Function> functions;    ///< Names are unique.
};

} // namespace relax::artifact
