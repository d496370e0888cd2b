//===- Value.h - what functions take and give -------------------------------------------------===//
//
// A Value is a tensor, a shape, a tuple of values, a function of a loaded module, an object of the
// host, or nothing. It is one pointer to something that is counted and never changes, but for the
// elements of tensors: copying a Value shares it, and costs an atomic increment.
//
// A tensor shares its memory with whoever made it: with the caller's array (borrow, tensor), with
// another tensor (a view of it), or with nobody else (what a call made, from the module's pool).
// Results of a call may share memory with its arguments, and with constants of the module: write to
// the elements of a tensor only if you made it, or if you know that the function makes it anew.
//
// Threads: Values may be copied, passed and dropped on any thread, also after their module is gone.
// One Value object, and the elements of tensors, follow the rules of an int.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"
#include "runtime/vm/TensorView.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace relax::runtime {

struct LoadedModule;

/// What counts its references. It begins with one.
class Counted {
public:
  Counted() = default;
  Counted(const Counted &) = delete;
  Counted &operator=(const Counted &) = delete;
  void retain() const { references.fetch_add(1, std::memory_order_relaxed); }
  void release() const {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroy();
  }

protected:
  virtual ~Counted() = default;
  /// Nobody has it any more.
  virtual void destroy() const { delete this; }

private:
  mutable std::atomic<uint32_t> references{1};
};

/// A counted reference, or null.
template <typename T> class Ref {
public:
  Ref() = default;
  /// Takes over the reference that the caller has.
  explicit Ref(T *object) : object(object) {}
  Ref(const Ref &other) : object(other.object) {
    if (object)
      object->retain();
  }
  Ref(Ref &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Ref &operator=(Ref other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Ref() {
    if (object)
      object->release();
  }
  T *get() const { return object; }
  T *operator->() const { return object; }
  T &operator*() const { return *object; }
  explicit operator bool() const { return object != nullptr; }

private:
  T *object = nullptr;
};

/// Memory of a tensor; whoever implements it gives it back when it is destroyed.
class Memory : public Counted {};

class Value {
public:
  enum class Kind : uint8_t { Nothing, Tensor, Shape, Tuple, Function, Object };

  /// How deep tuples may nest. Bounded so that no value needs much stack to be looked through.
  static constexpr uint32_t maxTupleDepth = 200;

  Value() = default;

  /// A tensor at the caller's memory, which must stay until the last value that shares it is gone.
  static Value borrow(const TensorView &view);
  /// The same; the last value gives up `owner`.
  static Value tensor(const TensorView &view, std::shared_ptr<const void> owner);
  static Value tensor(const TensorView &view, Ref<Memory> memory);
  /// A tensor with memory of its own, on the heap, with the elements of another.
  static Expected<Value> copyOf(const TensorView &view);
  /// Dimensions, none of which is negative. There may be more than tensors have.
  static Value shape(std::span<const int64_t> dims);
  /// An error if it would nest more than maxTupleDepth deep, or if a field is nothing.
  static Expected<Value> tuple(std::vector<Value> fields);
  /// Function `index` of a module; Function::value() in Module.h is how programs make one.
  static Value function(std::shared_ptr<LoadedModule> module, size_t index);
  /// Whatever the host likes; functions only pass it on.
  static Value object(std::shared_ptr<void> object);

  [[nodiscard]] Kind kind() const { return data ? data->kind : Kind::Nothing; }
  [[nodiscard]] bool isNothing() const { return kind() == Kind::Nothing; }
  [[nodiscard]] bool isTensor() const { return kind() == Kind::Tensor; }
  [[nodiscard]] bool isShape() const { return kind() == Kind::Shape; }
  [[nodiscard]] bool isTuple() const { return kind() == Kind::Tuple; }
  [[nodiscard]] bool isFunction() const { return kind() == Kind::Function; }
  [[nodiscard]] bool isObject() const { return kind() == Kind::Object; }

  // What it holds; each for its kind only. They stay as long as a value that shares them.
  [[nodiscard]] TensorView asTensor() const;
  [[nodiscard]] std::span<const int64_t> asShape() const;
  [[nodiscard]] std::span<const Value> asTuple() const;
  struct FunctionReference {
    std::shared_ptr<LoadedModule> module; ///< Null only in tests without one.
    size_t index = 0;
  };
  [[nodiscard]] const FunctionReference &asFunction() const;
  [[nodiscard]] const std::shared_ptr<void> &asObject() const;

  /// The tensors in it have sizes that fit 64 bits and elements at aligned addresses. What comes
  /// from the host is checked before it is used.
  [[nodiscard]] Status check() const;

  /// The memory of a tensor, to share it; null if it is borrowed.
  [[nodiscard]] const Ref<Memory> &memory() const;

  /// "f32[3, 4]", "shape [3, 4]", "a tuple of 2", "a function", "an object", "nothing".
  [[nodiscard]] std::string text() const;

private:
  struct Data : Counted {
    explicit Data(Kind kind) : kind(kind) {}
    const Kind kind;
  };
  struct TensorData;
  struct ShapeData;
  struct TupleData;
  struct FunctionData;
  struct ObjectData;
  explicit Value(Data *data) : data(data) {}
  template <typename T> [[nodiscard]] const T &as() const;

  Ref<Data> data;
};

/// The signature of a function that is a value, whose module is there.
const artifact::Function &signatureOf(const Value::FunctionReference &reference);

/// Elements of a tensor; its dims are not negative and their product fits 64 bits.
[[nodiscard]] int64_t elementCount(std::span<const int64_t> dims);
/// The size in bytes of a tensor; nothing if a dimension is negative or it doesn't fit 64 bits.
[[nodiscard]] std::optional<uint64_t> tensorBytes(DType dtype, std::span<const int64_t> dims);

} // namespace relax::runtime
