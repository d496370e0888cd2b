//===- Module.h - load an artifact and call its functions -------------------------------------===//
//
//   Expected<Module> module = Module::load("model.rlx");
//   Expected<Function> step = module->function("step");
//   Status status = step->call(inputs, outputs);                         // tensors, in place
//   Expected<std::vector<Value>> results = step->invoke(arguments);       // any values
//
// A Module is a handle; copies share what was loaded, and it stays as long as a Module, a Function
// or a value that needs it is there.
//
// Threads: calls may come from any thread; those of one module take turns. A host function that a
// call runs may call the module again, from the same thread. The arrays of tensors that are passed
// must not be written by others while a call reads them.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"
#include "runtime/profiler/Profiler.h"
#include "runtime/support/Status.h"
#include "runtime/threads/ThreadPool.h"
#include "runtime/vm/Registry.h"
#include "runtime/vm/TensorView.h"
#include "runtime/vm/Value.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace relax::runtime {

struct LoadOptions {
  /// What messages about the model call it; empty: the artifact's path.
  std::string modelName = {};
  /// Where the weights file is, if not where the artifact says; or the folder that has it.
  std::string weightsPath = {};
  /// Threads to compute with, the caller's included; 0: one for each core that is ours.
  unsigned threads = 0;
  /// Which of the artifact's code to run, by its target; empty: the best that this CPU can run.
  std::string target = {};
  /// A pool to share with other modules, instead of one of its own; `threads` is then ignored.
  std::shared_ptr<ThreadPool> pool = {};
  /// The most bytes that states, arenas and tensors may take together; 0: no limit.
  uint64_t memoryLimit = 0;
  /// Where it is noted that a weights file was verified (loader/WeightsFile.h); nothing:
  /// cacheFolder(); an empty string: nowhere.
  std::optional<std::string> cacheFolder = {};
  /// Keep what "initialize" computes (packed weights) in the cache folder, and take it from there
  /// at later starts. It takes as much room as the states.
  bool keepStates = false;
  /// Told how much of "initialize" is done, from 0 to 1, once it has taken more than
  /// `progressAfter` seconds.
  std::function<void(double share)> progress = {};
  double progressAfter = 1;
  /// The host functions that the artifact may call. Packed ones are copied; the library functions
  /// of the registry must outlive the module. Null: none.
  const Registry *registry = nullptr;
  /// Gets what the user should know but what isn't an error, such as that a library is missing and
  /// kernels of the module do its work. Empty: it is printed to stderr, each text once.
  std::function<void(const std::string &note)> report = {};
  /// How deep calls of general functions may nest; 0: 10,000.
  uint32_t callDepthLimit = 0;
};

struct MemoryUse {
  uint64_t current = 0; ///< Bytes of states, arenas and tensors now.
  uint64_t peak = 0;    ///< The most so far.
  uint64_t limit = 0;   ///< 0: none.
  uint64_t tensors = 0; ///< Of `current`: tensors that values refer to.
  uint64_t kept = 0;    ///< Of `current`: what is kept for the next tensors.
};

class Function;
struct LoadedModule;

/// Bytes that a program allocates beside a module's own memory, and wants its limit to count.
class MemoryReservation {
public:
  MemoryReservation() = default;
  MemoryReservation(MemoryReservation &&) noexcept;
  MemoryReservation &operator=(MemoryReservation &&) noexcept;
  ~MemoryReservation();

private:
  friend class Module;
  std::shared_ptr<LoadedModule> loaded; ///< Null: nothing is reserved.
  uint64_t bytes = 0;
};

class Module {
public:
  /// Reads, verifies and links the artifact, and runs its "initialize".
  static Expected<Module> load(const std::string &path, const LoadOptions &options = {});
  /// The same of bytes in memory. Relative weights paths are then relative to the current folder;
  /// `name` stands for the path in messages.
  static Expected<Module> loadBytes(std::span<const uint8_t> bytes, const std::string &name,
                                    const LoadOptions &options = {});

  /// An error lists the functions that there are.
  [[nodiscard]] Expected<Function> function(const std::string &name) const;

  [[nodiscard]] const artifact::Module &contents() const;
  [[nodiscard]] const Metadata &metadata() const { return contents().metadata; }
  [[nodiscard]] MemoryUse memory() const;
  /// Gives back what is kept for the next tensors.
  void trimMemory() const;
  /// Counts `bytes` of the caller's own memory as in use until the reservation ends; an error, with
  /// the numbers, if they go over the limit. `purpose` says there what they are for.
  [[nodiscard]] Expected<MemoryReservation> reserveMemory(uint64_t bytes,
                                                          const std::string &purpose) const;
  [[nodiscard]] const std::shared_ptr<ThreadPool> &pool() const;
  /// The target of the code that was chosen for this CPU, such as "x86-64-v3"; may be empty.
  [[nodiscard]] const std::string &target() const;

  /// Measure each kernel from now on, or stop. Off at first.
  void enableProfiling(bool on) const;
  /// A copy of what was measured, and of its report as text.
  [[nodiscard]] std::vector<Profiler::Row> profile() const;
  [[nodiscard]] std::string profileReport() const;
  void resetProfile() const;

private:
  explicit Module(std::shared_ptr<LoadedModule> loaded) : loaded(std::move(loaded)) {}

  std::shared_ptr<LoadedModule> loaded;
};

class Function {
public:
  [[nodiscard]] const artifact::Function &signature() const;
  [[nodiscard]] const std::string &name() const { return signature().name; }

  /// Checks the inputs, then runs. Outputs are the caller's memory, of the right dtype and dims
  /// (resultDims), and apart from the inputs, except that an output that shares a donated input's
  /// storage has that input's pointer, or null, and then gets it. After an InvalidArgument nothing
  /// has run; after another error the donated inputs may have changed. A general function must take
  /// and give tensors only; its results are copied, and some of it may have run if a check inside
  /// failed.
  Status call(std::span<const TensorView> inputs, std::span<TensorView> outputs) const;

  /// Calls any function with any values. Arguments are only read, except that donated tensors may
  /// be overwritten. A result may share memory with an argument or with a constant. After an error
  /// the module is as it was, but for what donated arguments hold.
  [[nodiscard]] Expected<std::vector<Value>> invoke(std::span<const Value> arguments) const;

  /// This function as a value, to pass it to others; and the function that a value is.
  [[nodiscard]] Value value() const;
  static Function of(const Value::FunctionReference &reference) {
    return Function(reference.module, reference.index);
  }

  /// The dims of the outputs for such inputs, whose elements are not looked at: `data` may be null.
  /// Planned functions only.
  [[nodiscard]] Expected<std::vector<std::vector<int64_t>>>
  resultDims(std::span<const TensorView> inputs) const;

private:
  friend class Module;
  Function(std::shared_ptr<LoadedModule> loaded, size_t index)
      : loaded(std::move(loaded)), index(index) {}
  Status callGeneral(std::span<const TensorView> inputs, std::span<TensorView> outputs) const;

  std::shared_ptr<LoadedModule> loaded;
  size_t index;
};

} // namespace relax::runtime
