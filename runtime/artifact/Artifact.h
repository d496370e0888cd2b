//===- Artifact.h - what a compiled module holds ----------------------------------------------===//
//
// Plain structs that mirror an artifact (.rlx) one to one: the compiler fills a Module and writes
// it, the runtime loads one and runs it. Nothing here computes. The format on disk is described in
// docs/artifact.md and runtime/artifact/artifact.fbs.
//
// A function is *planned* or *general*. A planned one takes and gives tensors only, runs straight
// on and knows all sizes from its arguments, so that one arena serves it. A general one keeps
// values (runtime/vm/Value.h) in registers: tensors, shapes, tuples, functions, objects; it may
// loop, call itself, and make tensors whose sizes are known only on the way.
//
// How a planned function is run:
//
//  1. Every `slot` is evaluated once, in order: an int64 value that is a constant, a dimension of
//     an argument, or an operation on two earlier slots. Everything whose value depends on the
//     shapes (dimensions, offsets, extents, symbol values of kernels) is the number of a slot.
//  2. Arguments are checked against parameters: count, rank, dtype, and each dimension against the
//     value of its slot; then the ranges and divisors of symbols; then the guards, in order.
//  3. One arena of `arenaSize` bytes is at hand, 64-byte aligned; buffers get their addresses.
//  4. `code` runs from instruction 0 to a Return. Jumps go forward only, and no planned function
//     calls itself, directly or through others.
//
// How a general function is run:
//
//  1. Argument i is put into register i; the other registers hold nothing. Each argument is checked
//     against the kind, dtype and rank of its parameter's pattern.
//  2. The slots [0, entrySlots) are evaluated, then the symbols among them and those dimensions of
//     the parameters' patterns that are among them are checked. Slots that are Constants have their
//     values from the beginning, wherever they are; all others are 0 until they are evaluated.
//  3. `code` runs from instruction 0 to a Return. Guards are checked by Check instructions only.
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
inline constexpr uint32_t formatVersion = 4;

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
/// i8, u8, i16, i32 or i64.
bool isInteger(DType dtype);

/// The number of a slot of a function.
using Slot = uint32_t;
/// Stands where a slot is optional and there is none.
inline constexpr Slot noSlot = UINT32_MAX;

/// How a slot gets its value. All arithmetic is checked for overflow at run time.
struct SlotOp {
  enum Kind : uint8_t {
    Constant,  ///< a
    Dimension, ///< dimension b of the argument for parameter a; of a shape argument: element b.
               ///< In a general function, among the entry slots only
    Add,       ///< from here on, a and b are earlier slots
    Sub,
    Mul,
    FloorDiv, ///< towards minus infinity; b <= 0 is a run-time error, as for the next two
    CeilDiv,  ///< towards plus infinity
    Mod,      ///< a - b * floordiv(a, b): never negative
    Min,
    Max,
    LessEqual, ///< 1 where a <= b, else 0
    Less,
    Equal,
    NotEqual,
    And, ///< 1 where neither is 0, else 0
    Or,  ///< 1 where one is not 0, else 0
    // From here on, in general functions only. It is a run-time error if the register holds
    // something else, or less.
    RegisterDimension, ///< dimension b of the tensor in register a
    RegisterRank,      ///< the rank of the tensor, or shape, in register a; b is 0
    Element,      ///< element b, in row-major order, of the integer or bool tensor in register a
    ShapeElement, ///< element b of the shape in register a
    // In all functions again: known when the module is loaded, like a Constant.
    Threshold, ///< the number that holds on this machine of thresholds[a]; b is 0
    Level,     ///< 1 if objects[a] is the code that runs, else 0; b is 0
  };
  static constexpr uint8_t numKinds = 22;
  /// Whether a and b are earlier slots.
  [[nodiscard]] bool combines() const { return kind > Dimension && kind < RegisterDimension; }
  /// Whether a is a register.
  [[nodiscard]] bool reads() const { return kind >= RegisterDimension && kind < Threshold; }
  /// Whether loading makes a Constant of it.
  [[nodiscard]] bool isResolvedAtLoad() const { return kind >= Threshold; }
  Kind kind = Constant;
  int64_t a = 0;
  int64_t b = 0;
};

struct TensorType {
  DType dtype = DType::F32;
  std::vector<Slot> dims; ///< Row-major, contiguous. At most maxRank.
};
inline constexpr size_t maxRank = 8;

/// What a value is expected to be, as precisely as it is known.
struct TypePattern {
  enum Kind : uint8_t {
    Any,      ///< any value
    Tensor,   ///< of `dtype` and `dims`
    Shape,    ///< of `dims`
    Tuple,    ///< of `fields`
    Function, ///< of `numParameters` and `numResults`
    Object,   ///< a host's object, not one of the others
  };
  static constexpr uint8_t numKinds = 6;
  Kind kind = Any;
  DType dtype = DType::F32;
  bool anyDType = false; ///< Tensor: `dtype` says nothing.
  bool anyRank = false;  ///< Tensor, Shape: `dims` is empty and says nothing.
  /// Tensor, Shape: each dimension is the value of a slot, or noSlot for one that isn't known.
  std::vector<Slot> dims;
  /// Tuple: the patterns of its fields. Their numbers are smaller than the tuple's own.
  std::vector<uint32_t> fields;
  int32_t numParameters = -1; ///< Function; -1 for any number.
  int32_t numResults = -1;
  /// For messages: what expects it, such as "match_cast", and where that was written, such as
  /// "model.mlir:12:3". Empty for parameters, which are named by themselves.
  std::string what = {};
  std::string source = {};
};

/// The number of a pattern of a function.
inline constexpr uint32_t noPattern = UINT32_MAX;

/// A named symbol of a signature or of the body, for checks and for messages. Its slot is usually
/// the Dimension where it first occurs. Messages print a slot that is a symbol's by the symbol's
/// name. In a general function it is checked whenever its slot is evaluated.
struct Symbol {
  std::string name;
  int64_t lo = 0;
  std::optional<int64_t> hi; ///< Inclusive.
  int64_t divisor = 1;       ///< At least 1.
  Slot slot = noSlot;
  /// Where a symbol of the body comes from, for messages, such as "match_cast at model.mlir:12:3".
  std::string origin = {};
};

struct Parameter {
  std::string name;
  TensorType type;              ///< Planned functions only.
  bool donated = false;         ///< The call may overwrite it, and a result may share its storage.
  uint32_t pattern = noPattern; ///< General functions only, and there required.
};

struct Result {
  std::string name;
  TensorType type;    ///< Planned functions only.
  int32_t alias = -1; ///< The donated parameter whose storage this is, or -1. Same dtype and size.
                      ///< Planned functions only.
  /// General functions only, and there required: what the compiler knows of the result. It is not
  /// checked. Its dims may be slots that only the code evaluates.
  uint32_t pattern = noPattern;
};

/// A check that fails the call. Dimensions of parameters are checked without one. In a planned
/// function guards are checked when it is entered, in order; in a general one by Check.
struct Guard {
  enum Kind : uint8_t {
    Equal,         ///< a == b
    LessEqual,     ///< a <= b
    Divides,       ///< a divides b; a > 0
    ValuesInRange, ///< every element e of the i32 or i64 `parameter`: 0 <= e < a
    Ragged,        ///< see below
    Elements,      ///< the text of a CheckValues, View or TensorToShape instruction; checked by
                   ///< nothing else
  };
  static constexpr uint8_t numKinds = 6;
  Kind kind = Equal;
  /// Which argument, and which dimension of it, the check is about: for the message, and for
  /// ValuesInRange and Ragged also what to read. -1 where there is none.
  ///
  /// Ragged: `parameter` is an i32 [s + 1] of starts, `axis` is not an axis but the parameter with
  /// the s cached lengths, i32. starts[0] is 0, starts do not decrease, starts[s] == a; every
  /// cached length is >= 0, and cached[i] + starts[i + 1] - starts[i] <= b.
  ///
  /// In a general function ValuesInRange and Ragged name registers instead of parameters.
  int32_t parameter = -1;
  int32_t axis = -1;
  Slot a = noSlot;
  Slot b = noSlot;        ///< noSlot for ValuesInRange; for Elements, either may be.
  std::string expression; ///< What must hold, as its author wrote it, such as "m <= 2 * n"; for
                          ///< Elements of CheckValues what reads the values, such as "take".
  std::string source;     ///< Where it was written, such as "model.mlir:12:3"; may be empty.
  /// Elements: the dtype of the values, an integer. Read in planned functions only, whose buffers
  /// have no dtype.
  DType dtype = DType::I64;
};

/// A piece of memory that instructions name by its number.
struct Buffer {
  /// A general function has Constant, State and Register only; a planned one has no Register.
  enum Kind : uint8_t { Parameter, Result, Arena, Constant, State, Register };
  static constexpr uint8_t numKinds = 6;
  Kind kind = Arena;
  /// Which parameter, result, constant, state or register (which holds a tensor then); 0 for Arena.
  uint32_t index = 0;
  /// Arena only, in bytes: the offset is a multiple of bufferAlignment, and offset + size <=
  /// arenaSize. noSlot otherwise: the buffer is the whole of what it names.
  Slot offset = noSlot;
  Slot size = noSlot;
};

struct Instruction {
  enum Op : uint8_t {
    CallKernel,   ///< kernels[target](buffers, slots) for [0, value of extent)
    CallLibrary,  ///< libraries[target](buffers, slots); slots: the dimensions of all buffers, then
                  ///< the options. A function of the host (vm/Registry.h) or of runtime/libraries
    CallFunction, ///< functions[target]; buffers: its arguments, then its results; slots: the
                  ///< dimensions of its arguments, concatenated in order. In planned functions only
    BranchIfZero, ///< to instruction `target` if the value of slots[0] is 0
    Jump,         ///< to instruction `target`
    Return,       ///< in a general function with `buffers`: the registers of the results
    CheckValues,  ///< every element e of buffers[0]: value of slots[0] <= e < value of slots[1].
                  ///< target: an Elements guard with the text. In a general function buffers[0] is
                  ///< a register, which holds an integer tensor

    // From here on, in general functions only. `buffers` are registers, named in the brackets;
    // `slots` are dims unless another thing is said. What is written to a register replaces what
    // was there. Values are shared, not copied, except where it says so.
    Evaluate,   ///< evaluates the slots from slots[0] up to but not slots[1] in order (which are
                ///< numbers here; slots[1] may be the number of slots), and checks their symbols
    Check,      ///< guards[target] holds
    CheckValue, ///< [value] fits patterns[target]. With slots as Evaluate's: first the kind, dtype
                ///< and rank, then these are evaluated, then the dims
    Allocate,   ///< [tensor] of dtype `target`; its elements are whatever they are
    View,       ///< [tensor, of]: the first elements of another, with other dims. With [tensor, of,
                ///< shape] its dims are those of a shape, and there are no slots. `target`: 0, or
                ///< 1 + an Elements guard: it must have all elements then, or fails with that text
    Copy,       ///< [tensor, of]: a tensor with memory of its own
    LoadConstant,  ///< [tensor]: constants[target]
    LoadState,     ///< [tensor]: states[target]
    Move,          ///< [to, from]
    Release,       ///< [any number]: they hold nothing then, and what nobody else has is freed
    MakeTuple,     ///< [tuple, fields…]
    TupleGet,      ///< [field, tuple]: field `target`
    MakeShape,     ///< [shape] of the values of `slots`, none of which may be negative
    ShapeOf,       ///< [shape, tensor]: the dims of a tensor
    ShapeToTensor, ///< [tensor, shape]: i64 [rank]
    TensorToShape, ///< [shape, tensor]: from an integer tensor of rank 1; none may be negative.
                   ///< `target`: 0, or 1 + an Elements guard with the text of the failure
    MakeFunction,  ///< [function]: functions[target]
    Invoke,        ///< [arguments…, results…]: functions[target], planned or general
    InvokeValue,   ///< [function, arguments…, results…]; `count`: how many are arguments
    InvokePacked,  ///< [arguments…, results…]: the host function packed[target]; `count`: how many
                   ///< are arguments
  };
  static constexpr uint8_t numOps = 27;
  Op op = Return;
  /// A branch's must be after the instruction itself in a planned function, anywhere in a general
  /// one.
  uint32_t target = 0;
  std::vector<uint32_t> buffers;
  std::vector<Slot> slots;
  /// CallKernel only. The kernel is not called at all if the extent is 0. The cost is about the
  /// scalar operations of the whole call; the runtime stays on one thread if it is small.
  Slot extent = noSlot;
  Slot cost = noSlot;
  uint32_t count = 0; ///< InvokeValue and InvokePacked only.
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
  Slot arenaSize = noSlot;             ///< Bytes; noSlot for none. A general one has none.
  std::optional<int64_t> arenaMaximum; ///< The most that it can be, where bounds are known.
  /// Planned functions only: what a call launches is kept for shapes that come again, and replayed
  /// (vm/Replay.h). The results are the same either way.
  bool captured = false;
  // The rest is for general functions only; planned ones have none of it.
  bool general = false;
  uint32_t numRegisters = 0; ///< At least as many as parameters; at most maxRegisters.
  uint32_t entrySlots = 0;   ///< How many slots are evaluated when it is entered.
  std::vector<TypePattern> patterns;
};
inline constexpr uint32_t maxRegisters = uint32_t{1} << 20;

/// A kernel: an exported function of every code object, by its name.
struct Kernel {
  std::string name;
  std::string strategy; ///< How it was scheduled; for people.
  // What it computes and moves; for people and the profiler.
  std::string kind = {};                 ///< "elementwise", "reduction", …; empty: not known.
  std::vector<std::string> symbols = {}; ///< A name for each number that a call gives it.
  /// Expressions over these numbers: a Dimension is number a (b is 0), others combine earlier ones.
  std::vector<SlotOp> slots = {};
  Slot flops = noSlot, bytes = noSlot; ///< Of a call, each noSlot where it isn't known.
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
/// most features of those whose features the CPU has all; the earlier one of equals. All have every
/// kernel, and a kernel has the same operands in all; where the number of its units differs, the
/// extent of its calls is a sum over Level slots.
struct CodeObject {
  std::string target;                ///< "x86-64-v3", "x86-64-v4+avx512vnni", …
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
/// state j, of the same dtype and dims. What it reads of weights files leaves memory then. It is a
/// planned function.
struct State {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> dims;
};

/// The name of the function that fills the states. It has no parameters.
inline constexpr const char *initializeName = "initialize";

/// A function of the host that takes and gives values, by its name in the registry.
struct PackedFunction {
  std::string name;
  bool pure = false; ///< The compiler relied on its having no effects; the registry must agree.
};

/// A function that CallLibrary calls: one of the host by its name in the registry, or one of an
/// external library that runtime/libraries knows. The same name with other options is another
/// entry.
struct Library {
  struct Tensor {
    DType dtype = DType::F32;
    uint32_t rank = 0;
  };
  struct Option {
    std::string name;
    int64_t value = 0;
  };
  Library() = default;
  Library(std::string name) : name(std::move(name)) {}
  Library(const char *name) : name(name) {}

  std::string name;
  std::vector<Option> options;
  /// What its operands and results are; nothing where that isn't recorded.
  std::vector<Tensor> tensors;
  /// Each call of it stands behind a Threshold of its own, so that the module works without it.
  bool optional = false;
};

/// From which number on a library is faster. It is `tuned` where the library has that version and
/// the machine that CPU (what relax tune-dispatch measured), else `byDefault`; and `never` where
/// the library is missing.
struct Threshold {
  uint32_t library = 0; ///< Whose calls it is about.
  int64_t byDefault = 0;
  std::optional<int64_t> tuned;
  std::string version = {}, cpu = {};
  static constexpr int64_t never = INT64_MAX;
};

struct Module {
  std::string compilerVersion;
  Metadata metadata;
  std::vector<WeightsFile> files;
  std::vector<Constant> constants;
  std::vector<State> states;
  std::vector<Kernel> kernels;
  std::vector<Library> libraries;     ///< What CallLibrary calls.
  std::vector<Threshold> thresholds;  ///< When it is called, where there is an alternative.
  std::vector<CodeObject> objects;    ///< At least one if there are kernels.
  std::vector<Function> functions;    ///< Names are unique.
  std::vector<PackedFunction> packed; ///< Those that InvokePacked needs.
};

} // namespace relax::artifact
