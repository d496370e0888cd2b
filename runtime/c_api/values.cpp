//===- values.cpp - the C interface to values, and to functions of the host -------------------===//
#include "runtime/c_api/Handles.h"
#include "runtime/c_api/Tensors.h"

#include <cstring>
#include <mutex>

using relax::Expected;
using relax::Status;
using relax::StatusCode;
using relax::text;
using relax::c_api::guarded;
using relax::c_api::missing;
using relax::runtime::Function;
using relax::runtime::PackedCall;
using relax::runtime::Registry;
using relax::runtime::TensorView;
using relax::runtime::Value;

namespace {

/// Sets *out by what `make` returns, an Expected<Value>.
template <typename Make> relax_status makeValue(relax_value **out, Make &&make) {
  return guarded([&]() -> Status {
    if (!out)
      return missing("value");
    *out = nullptr;
    Expected<Value> value = make();
    if (!value)
      return value.takeStatus();
    *out = new relax_value{std::move(*value)};
    return {};
  });
}

/// The values of handles; an error names the one that is null.
Status readValues(const relax_value *const *handles, size_t count, const char *what,
                  std::vector<Value> &values) {
  if (count != 0 && !handles)
    return missing(what);
  values.reserve(count);
  for (size_t i = 0; i != count; ++i) {
    if (!handles[i])
      return missing(text(what, ' ', i).c_str());
    values.push_back(handles[i]->value);
  }
  return {};
}

Status writeValues(std::span<Value> values, relax_value **handles) {
  std::vector<std::unique_ptr<relax_value>> made;
  for (Value &value : values)
    made.push_back(std::make_unique<relax_value>(relax_value{std::move(value)}));
  for (size_t i = 0; i != made.size(); ++i)
    handles[i] = made[i].release();
  return {};
}

Status wrongKind(const relax_value *value, const char *expected) {
  if (!value)
    return missing("value");
  return Status(StatusCode::InvalidArgument,
                text("found ", value->value.text(), ", expected ", expected));
}

Status invoke(const Function &function, const relax_value *const *arguments, size_t numArguments,
              relax_value **results, size_t numResults) {
  std::vector<Value> values;
  RELAX_RETURN_IF_ERROR(readValues(arguments, numArguments, "argument", values));
  size_t expected = function.signature().results.size();
  if (numResults != expected || (numResults != 0 && !results))
    return Status(StatusCode::InvalidArgument,
                  text(function.name(), ": found room for ", results ? numResults : 0,
                       " results, expected ", expected));
  Expected<std::vector<Value>> made = function.invoke(values);
  if (!made)
    return made.takeStatus();
  return writeValues(*made, results);
}

DLTensor describe(const Value &value) {
  TensorView view = value.asTensor();
  return {.data = view.data,
          .device = {.device_type = kDLCPU, .device_id = 0},
          .ndim = static_cast<int32_t>(view.dims.size()),
          .dtype = relax::runtime::toDlpack(view.dtype),
          // DLPack has one type for who reads and who writes.
          .shape = const_cast<int64_t *>(view.dims.data()),
          .strides = nullptr,
          .byte_offset = 0};
}

/// A value that is passed on as DLPack; it keeps the elements and the shape.
struct Exported {
  explicit Exported(const Value &value) : value(value), tensor() {
    tensor.dl_tensor = describe(this->value);
    tensor.manager_ctx = this;
    tensor.deleter = [](DLManagedTensor *self) {
      delete static_cast<Exported *>(self->manager_ctx);
    };
  }
  Value value;
  DLManagedTensor tensor;
};

/// What the callbacks are registered in.
struct Registered {
  std::mutex lock;
  Registry registry;
};
Registered &registered() {
  static Registered all;
  return all;
}

/// Calls back into C: arguments as handles of ours, results as handles that it makes.
Status callBack(relax_host_function callback, void *user, PackedCall &call) {
  std::vector<relax_value> arguments;
  std::vector<const relax_value *> argumentHandles;
  arguments.reserve(call.arguments.size());
  for (const Value &argument : call.arguments) {
    arguments.push_back({argument});
    argumentHandles.push_back(&arguments.back());
  }
  std::vector<relax_value *> results(call.results.size());
  relax::c_api::lastError().clear();
  relax_status status = callback(user, argumentHandles.data(), argumentHandles.size(),
                                 results.data(), results.size());
  for (size_t i = 0; i != results.size(); ++i) {
    std::unique_ptr<relax_value> result(results[i]);
    if (result)
      call.results[i] = std::move(result->value);
  }
  if (status == RELAX_OK)
    return {};
  const std::string &message = relax::c_api::lastError();
  return Status(static_cast<StatusCode>(status),
                message.empty() ? text("failed with status ", static_cast<int>(status)) : message);
}

} // namespace

Registry relax::c_api::registeredFunctions() {
  std::lock_guard<std::mutex> guard(registered().lock);
  return registered().registry;
}

relax_status relax_value_tensor(const DLTensor *tensor, relax_value **value) {
  return makeValue(value, [&]() -> Expected<Value> {
    Expected<TensorView> view = relax::runtime::viewOf(tensor);
    if (!view)
      return view.takeStatus();
    RELAX_RETURN_IF_ERROR(Value::borrow(*view).check());
    return Value::copyOf(*view);
  });
}

relax_status relax_value_from_dlpack(DLManagedTensor *tensor, relax_value **value) {
  return makeValue(value, [&]() -> Expected<Value> {
    if (!tensor)
      return missing("tensor");
    Expected<TensorView> view = relax::runtime::viewOf(&tensor->dl_tensor);
    if (!view)
      return view.takeStatus();
    RELAX_RETURN_IF_ERROR(Value::borrow(*view).check());
    std::shared_ptr<const void> owner(tensor, [](DLManagedTensor *managed) {
      if (managed->deleter)
        managed->deleter(managed);
    });
    return Value::tensor(*view, std::move(owner));
  });
}

relax_status relax_value_shape(const int64_t *dims, size_t rank, relax_value **value) {
  return makeValue(value, [&]() -> Expected<Value> {
    if (!dims && rank != 0)
      return missing("dims");
    Value shape = Value::shape({dims, rank});
    RELAX_RETURN_IF_ERROR(shape.check());
    return shape;
  });
}

relax_status relax_value_tuple(const relax_value *const *fields, size_t count,
                               relax_value **value) {
  return makeValue(value, [&]() -> Expected<Value> {
    std::vector<Value> values;
    RELAX_RETURN_IF_ERROR(readValues(fields, count, "field", values));
    return Value::tuple(std::move(values));
  });
}

relax_status relax_value_function(const relax_function *function, relax_value **value) {
  return makeValue(value, [&]() -> Expected<Value> {
    if (!function)
      return missing("function");
    return function->function.value();
  });
}

relax_status relax_value_object(void *object, void (*deleter)(void *), relax_value **value) {
  return makeValue(value, [&]() -> Expected<Value> {
    return Value::object(std::shared_ptr<void>(object, [deleter](void *last) {
      if (deleter)
        deleter(last);
    }));
  });
}

relax_status relax_value_share(const relax_value *value, relax_value **shared) {
  return makeValue(shared, [&]() -> Expected<Value> {
    if (!value)
      return missing("value");
    return value->value;
  });
}

void relax_value_free(relax_value *value) { delete value; }

relax_value_kind relax_value_get_kind(const relax_value *value) {
  return value ? static_cast<relax_value_kind>(value->value.kind()) : RELAX_VALUE_NOTHING;
}

relax_status relax_value_get_tensor(const relax_value *value, DLTensor *tensor) {
  return guarded([&]() -> Status {
    if (!value || !value->value.isTensor())
      return wrongKind(value, "a tensor");
    if (!tensor)
      return missing("tensor");
    *tensor = describe(value->value);
    return {};
  });
}

relax_status relax_value_to_dlpack(const relax_value *value, DLManagedTensor **tensor) {
  return guarded([&]() -> Status {
    if (!value || !value->value.isTensor())
      return wrongKind(value, "a tensor");
    if (!tensor)
      return missing("tensor");
    *tensor = &(new Exported(value->value))->tensor;
    return {};
  });
}

relax_status relax_value_get_shape(const relax_value *value, const int64_t **dims, size_t *rank) {
  return guarded([&]() -> Status {
    if (!value || !value->value.isShape())
      return wrongKind(value, "a shape");
    if (!dims || !rank)
      return missing(dims ? "rank" : "dims");
    *dims = value->value.asShape().data();
    *rank = value->value.asShape().size();
    return {};
  });
}

size_t relax_value_field_count(const relax_value *value) {
  return value && value->value.isTuple() ? value->value.asTuple().size() : 0;
}

relax_status relax_value_get_field(const relax_value *value, size_t index, relax_value **field) {
  return makeValue(field, [&]() -> Expected<Value> {
    if (!value || !value->value.isTuple())
      return wrongKind(value, "a tuple");
    if (index >= value->value.asTuple().size())
      return Status(StatusCode::InvalidArgument,
                    text("found index ", index, ", expected less than the ",
                         value->value.asTuple().size(), " fields"));
    return value->value.asTuple()[index];
  });
}

relax_status relax_value_get_object(const relax_value *value, void **object) {
  return guarded([&]() -> Status {
    if (!value || !value->value.isObject())
      return wrongKind(value, "an object");
    if (!object)
      return missing("object");
    *object = value->value.asObject().get();
    return {};
  });
}

relax_status relax_function_invoke(relax_function *function, const relax_value *const *arguments,
                                   size_t num_arguments, relax_value **results,
                                   size_t num_results) {
  return guarded([&]() -> Status {
    if (!function)
      return missing("function");
    return invoke(function->function, arguments, num_arguments, results, num_results);
  });
}

relax_status relax_value_invoke(const relax_value *function, const relax_value *const *arguments,
                                size_t num_arguments, relax_value **results, size_t num_results) {
  return guarded([&]() -> Status {
    if (!function || !function->value.isFunction())
      return wrongKind(function, "a function");
    // Its own reference: the callee may drop the handle's.
    const Value kept = function->value;
    return invoke(Function::of(kept.asFunction()), arguments, num_arguments, results, num_results);
  });
}

relax_status relax_register_function(const char *name, relax_host_function callback, void *user,
                                     uint32_t flags) {
  return guarded([&]() -> Status {
    if (!name || !callback)
      return missing(name ? "callback" : "name");
    if (flags & ~uint32_t{RELAX_PURE})
      return Status(StatusCode::InvalidArgument, text("found unknown flags: ", flags));
    std::lock_guard<std::mutex> guard(registered().lock);
    registered().registry.addPacked(
        name,
        [callback, user](PackedCall &call) -> Status { return callBack(callback, user, call); },
        flags &RELAX_PURE);
    return {};
  });
}

void relax_set_last_error(const char *message) {
  (void)guarded([&]() -> Status {
    relax::c_api::lastError() = message ? message : "";
    return {};
  });
}
