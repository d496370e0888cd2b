//===- FunctionVerifier.h - the rules that concern one function -------------------------------===//
//
// Used by Verify.cpp (what all functions have, and planned ones) and VerifyGeneral.cpp (what only
// general ones have).
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"
#include "runtime/support/Status.h"
#include "runtime/support/Text.h"

namespace relax::artifact {

inline Status fault(std::string message) {
  return Status(StatusCode::InvalidFile, std::move(message));
}

/// Checks one function against its module; messages begin with its name.
class FunctionVerifier {
public:
  FunctionVerifier(const Module &module, const Function &function)
      : module(module), function(function) {}

  Status run() {
    Status status = checkAll();
    return status.ok() ? Status()
                       : std::move(status).withContext("function " + inQuotes(function.name));
  }

private:
  Status checkAll() {
    RELAX_RETURN_IF_ERROR(checkMode());
    for (size_t i = 0; i != function.patterns.size(); ++i)
      if (Status status = checkPattern(i); !status.ok())
        return std::move(status).withContext(text("pattern ", i));
    RELAX_RETURN_IF_ERROR(checkSlots());
    RELAX_RETURN_IF_ERROR(checkSymbols());
    RELAX_RETURN_IF_ERROR(checkSignature());
    for (size_t i = 0; i != function.guards.size(); ++i)
      if (Status status = checkGuard(function.guards[i]); !status.ok())
        return std::move(status).withContext(text("guard ", i));
    for (size_t i = 0; i != function.buffers.size(); ++i)
      if (Status status = checkBuffer(function.buffers[i]); !status.ok())
        return std::move(status).withContext(text("buffer ", i));
    for (size_t i = 0; i != function.code.size(); ++i)
      if (Status status = checkInstruction(i); !status.ok())
        return std::move(status).withContext(text("instruction ", i));
    if (function.code.empty() || function.code.back().op != Instruction::Return)
      return fault("its code does not end with a return");
    RELAX_RETURN_IF_ERROR(checkCaptured());
    return checkInitialize();
  }

  Status slotExists(Slot slot, const char *what) const {
    if (slot < function.slots.size())
      return {};
    return fault(
        text(what, " is slot ", slot, ", but there are ", function.slots.size(), " slots"));
  }
  Status slotIfAny(Slot slot, const char *what) const {
    return slot == noSlot ? Status() : slotExists(slot, what);
  }
  static Status inRange(uint64_t index, uint64_t count, const char *what) {
    if (index < count)
      return {};
    return fault(text(what, ' ', index, " does not exist; there are ", count));
  }

  Status registerExists(uint64_t index) const {
    return inRange(index, function.numRegisters, "register");
  }

  Status checkMode() const;
  Status checkPattern(size_t position) const;
  Status checkSlots() const;
  Status checkSlot(size_t position) const;
  Status checkSymbols() const;
  Status checkType(const TensorType &type) const;
  Status checkSignature() const;
  Status checkPlannedSignature() const;
  Status checkGeneralSignature() const;
  Status checkAliases() const;
  Status checkGuard(const Guard &guard) const;
  Status checkReadable(int32_t parameter, bool wide) const;
  Status checkBuffer(const Buffer &buffer) const;
  Status checkInstruction(size_t position) const;
  Status checkJump(size_t position) const;
  Status checkLibraryCall(const Instruction &call) const;
  Status checkGeneralInstruction(size_t position) const;
  Status checkOperands(const Instruction &instruction) const;
  Status checkTarget(const Instruction &instruction) const;
  Status checkSlotRange(const Instruction &instruction) const;
  Status checkElements(const Instruction &instruction) const;
  Status checkText(uint32_t guard) const;
  Status checkInvoke(const Instruction &call) const;
  Status checkCall(const Instruction &call) const;
  Status checkCaptured() const;
  Status checkInitialize() const;

  const Module &module;
  const Function &function;
};

} // namespace relax::artifact
