//===- Interpreter.h - runs general functions -------------------------------------------------===//
//
// One for each module. Calls of general functions among themselves are activations on a stack of
// its own, so that they may nest deeply, and an error unwinds them at once. Where a planned
// function or a host function calls a general one, `invoke` is entered again; that nests on the
// thread's stack, and is bounded more tightly.
//
// Everything that an instruction reads is checked where the loader could not: a wrong artifact
// gives an Internal error, and never a crash. Not checked is what kernels do with their buffers.
//
// Not thread-safe: the module's lock is held around a call.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/vm/Environment.h"
#include "runtime/vm/Value.h"

#include <cstdint>
#include <span>
#include <vector>

namespace relax::runtime {

class Interpreter {
public:
  explicit Interpreter(Environment &environment);
  ~Interpreter();
  Interpreter(const Interpreter &) = delete;
  Interpreter &operator=(const Interpreter &) = delete;

  /// Calls function `index`, planned or general; there are as many results as it has. Nothing of
  /// the call is left in the interpreter afterwards, whatever its end.
  Status invoke(size_t index, std::span<const Value> arguments, std::span<Value> results);

  /// Planned and host functions between general ones on the thread's stack.
  static constexpr uint32_t maxNesting = 64;

private:
  /// A call of a general function that has not returned.
  struct Activation {
    const artifact::Function *function;
    uint32_t index;
    uint32_t pc;
    size_t firstRegister, firstSlot;
    /// The instruction of the caller, and which of its registers is the first for results; null for
    /// the outermost.
    const artifact::Instruction *call;
    uint32_t firstResult;
  };
  /// What is worked out once for each function.
  struct Prepared {
    std::vector<int64_t> slots;                    ///< Constants; 0 for the others.
    std::vector<const artifact::Symbol *> symbols; ///< In the order of their slots.
    std::vector<uint32_t> registers; ///< For each buffer its register, or notInRegister.
  };
  static constexpr uint32_t notInRegister = UINT32_MAX;
  /// The activation on top, with its registers and slots where they are now.
  struct Top {
    Activation &activation;
    const artifact::Function &function;
    Value *registers;
    int64_t *slots;
  };
  class Unwinder;

  Top top();
  Status push(size_t index, const artifact::Instruction *call, uint32_t firstResult);
  Status growStacks(size_t registersNeeded, size_t slotsNeeded);
  void pop();
  void shrinkStacks();
  /// Checks the arguments, which are in the registers, and evaluates the entry's slots.
  Status enter();
  /// Runs until only `floor` activations are left.
  Status run(size_t floor, std::span<Value> results);
  std::string namesFrom(size_t floor) const;

  Status step(Top at, const artifact::Instruction &instruction);
  Status stepValue(Top at, const artifact::Instruction &instruction);

  // Slots and checks.
  Status evaluate(Top at, size_t first, size_t end);
  size_t evaluateUntilError(Top at, size_t first, size_t end);
  static bool readSlot(Top at, const artifact::SlotOp &op, int64_t &out);
  static Status unreadable(Top at, size_t slot);
  Status checkSymbols(Top at, size_t first, size_t end);
  Status check(Top at, const artifact::Guard &guard);
  Status checkValue(Top at, const artifact::Instruction &instruction);
  static Status checkValues(Top at, const artifact::Instruction &instruction);

  // Calls.
  Status callKernel(Top at, const artifact::Instruction &instruction);
  Status callLibrary(Top at, const artifact::Instruction &instruction);
  Status invokeFunction(Top at, const artifact::Instruction &instruction);
  Status invokeValue(Top at, const artifact::Instruction &instruction);
  Status invokePacked(Top at, const artifact::Instruction &instruction);
  Status invokeIn(size_t index, const artifact::Instruction &instruction, uint32_t firstArgument);
  Status invokePlanned(size_t index, std::span<const Value> arguments, std::span<Value> results);
  Status returnTo(size_t floor, const artifact::Instruction &instruction, std::span<Value> results);

  // Values.
  Status allocate(DType dtype, std::span<const int64_t> dims, Value &out);
  Status view(Top at, const artifact::Instruction &instruction);
  Status makeTensor(Top at, const artifact::Instruction &instruction);
  Status makeTuple(Top at, const artifact::Instruction &instruction);
  Status convertShape(Top at, const artifact::Instruction &instruction);

  Environment &environment;
  std::vector<Prepared> prepared;
  std::vector<Activation> activations;
  std::vector<Value> registers;
  std::vector<int64_t> slots;
  size_t registersTop = 0, slotsTop = 0;
  uint64_t stackBytes = 0; ///< On the account.
  uint32_t nesting = 0;    ///< Of `invoke`.
  uint64_t executed = 0;   ///< Instructions of the outermost call, where there is a limit.
};

/// The tensor in register `index`, or an error.
Expected<TensorView> tensorIn(const Value *registers, uint32_t index);
/// An error in the artifact that only the values at hand bring to light.
Status codeError(std::string message);

} // namespace relax::runtime
