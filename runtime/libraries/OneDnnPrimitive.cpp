#include "runtime/libraries/OneDnnPrimitive.h"

#include "runtime/support/Text.h"

#include <algorithm>
#include <new>

namespace relax::runtime::onednn {

bool Api::load(const SharedLibrary &file) {
  file.find("omp_set_num_threads", setThreads);
  if (!file.find("omp_get_max_threads", getThreads))
    setThreads = nullptr;
  return file.find("dnnl_version", version) && file.find("dnnl_engine_create", createEngine) &&
         file.find("dnnl_stream_create", createStream) &&
         file.find("dnnl_stream_wait", waitStream) &&
         file.find("dnnl_memory_desc_init_by_strides", initMemoryDesc) &&
         file.find("dnnl_matmul_desc_init", initMatmulDesc) &&
         file.find("dnnl_primitive_attr_create", createAttributes) &&
         file.find("dnnl_primitive_attr_destroy", destroyAttributes) &&
         file.find("dnnl_primitive_attr_set_scratchpad_mode", setScratchpadMode) &&
         file.find("dnnl_post_ops_create", createPostOps) &&
         file.find("dnnl_post_ops_destroy", destroyPostOps) &&
         file.find("dnnl_post_ops_append_binary", appendBinary) &&
         file.find("dnnl_primitive_attr_set_post_ops", setPostOps) &&
         file.find("dnnl_primitive_desc_create", createPrimitiveDesc) &&
         file.find("dnnl_primitive_desc_destroy", destroyPrimitiveDesc) &&
         file.find("dnnl_primitive_desc_query_md", queryMemoryDesc) &&
         file.find("dnnl_memory_desc_get_size", memoryDescSize) &&
         file.find("dnnl_primitive_create", createPrimitive) &&
         file.find("dnnl_primitive_destroy", destroyPrimitive) &&
         file.find("dnnl_primitive_execute", execute) &&
         file.find("dnnl_memory_create", createMemory) &&
         file.find("dnnl_memory_destroy", destroyMemory);
}

static Expected<OneDnn> openLibrary() {
  Expected<SharedLibrary> file =
      SharedLibrary::open("oneDNN", "libdnnl.so.2", "RELAX_ONEDNN", "libdnnl2");
  if (!file)
    return file.takeStatus();
  OneDnn library;
  if (!library.api.load(*file))
    return Status(StatusCode::Unsupported,
                  text(file->name(), " is not oneDNN 2: it lacks functions that are called"));
  const Version &version = *library.api.version();
  library.version = text(version.major, '.', version.minor, '.', version.patch);
  if (version.major != 2 || version.minor < 4)
    return Status(StatusCode::Unsupported, text(file->name(), " is oneDNN ", library.version,
                                                "; expected 2.4 or a later 2"));
  if (library.api.createEngine(&library.engine, engineCpu, 0) != statusSuccess)
    return Status(StatusCode::Unsupported, "oneDNN has no engine for this CPU");
  return library;
}

const Expected<OneDnn> &oneDnn() {
  static const Expected<OneDnn> library = openLibrary();
  return library;
}

static Status problem(const char *what, int status) {
  return Status(StatusCode::Internal, text("oneDNN can't ", what, ": its status is ", status));
}

/// Leaves with an error if a call of oneDNN fails.
#define RELAX_CHECK_ONEDNN(what, call)                                                             \
  if (int code = (call); code != statusSuccess)                                                    \
  return problem(what, code)

Expected<std::shared_ptr<const Primitive>> Primitive::create(const OneDnn &library,
                                                             const MatmulShape &shape) {
  auto made = std::make_shared<Primitive>(library);
  RELAX_RETURN_IF_ERROR(made->init(shape));
  return std::shared_ptr<const Primitive>(std::move(made));
}

Primitive::~Primitive() {
  if (primitive)
    library.api.destroyPrimitive(primitive);
}

Status Primitive::describe(const MatmulShape &shape) {
  auto matrix = [&](MemoryDesc &desc, int64_t rows, int64_t columns, int type, int64_t rowStride,
                    int64_t columnStride) {
    Dims dims = {rows, columns}, strides = {rowStride, columnStride};
    return library.api.initMemoryDesc(&desc, 2, dims, type, strides);
  };
  RELAX_CHECK_ONEDNN("describe a matrix",
                     matrix(a, shape.m, shape.k, shape.a, shape.rowStrideA, shape.columnStrideA));
  RELAX_CHECK_ONEDNN("describe a matrix",
                     matrix(b, shape.k, shape.n, shape.b, shape.rowStrideB, shape.columnStrideB));
  RELAX_CHECK_ONEDNN("describe a matrix",
                     matrix(result, shape.m, shape.n, shape.result, shape.rowStrideResult, 1));
  if (hasBias)
    RELAX_CHECK_ONEDNN("describe a bias", matrix(bias, 1, shape.n, F32, shape.n, 1));
  return {};
}

namespace {
/// Attributes, post-ops and a primitive's description: gone when it has been made.
struct Temporaries {
  const Api &api;
  void *attributes = nullptr, *postOps = nullptr, *desc = nullptr;
  ~Temporaries() {
    if (desc)
      api.destroyPrimitiveDesc(desc);
    if (postOps)
      api.destroyPostOps(postOps);
    if (attributes)
      api.destroyAttributes(attributes);
  }
};
} // namespace

Status Primitive::init(const MatmulShape &shape) {
  const Api &api = library.api;
  hasBias = shape.bias;
  hasResidual = shape.residual;
  RELAX_RETURN_IF_ERROR(describe(shape));
  Temporaries made{api};
  RELAX_CHECK_ONEDNN("make attributes", api.createAttributes(&made.attributes));
  RELAX_CHECK_ONEDNN("use our memory", api.setScratchpadMode(made.attributes, scratchpadUser));
  if (hasResidual) {
    RELAX_CHECK_ONEDNN("make post-ops", api.createPostOps(&made.postOps));
    RELAX_CHECK_ONEDNN("add a residual", api.appendBinary(made.postOps, binaryAdd, &result));
    RELAX_CHECK_ONEDNN("add a residual", api.setPostOps(made.attributes, made.postOps));
  }
  auto operation = std::make_unique<MatmulDesc>();
  RELAX_CHECK_ONEDNN("describe a product", api.initMatmulDesc(operation.get(), &a, &b,
                                                              hasBias ? &bias : nullptr, &result));
  RELAX_CHECK_ONEDNN("do such a product",
                     api.createPrimitiveDesc(&made.desc, operation.get(), made.attributes,
                                             library.engine, nullptr));
  const MemoryDesc *scratch = api.queryMemoryDesc(made.desc, queryScratchpadDesc, 0);
  scratchpadBytes = scratch ? api.memoryDescSize(scratch) : 0;
  if (scratchpadBytes != 0) {
    Dims dims = {static_cast<int64_t>(scratchpadBytes)}, strides = {1};
    RELAX_CHECK_ONEDNN("describe its memory",
                       api.initMemoryDesc(&scratchpad, 1, dims, U8, strides));
  }
  RELAX_CHECK_ONEDNN("make code for such a product", api.createPrimitive(&primitive, made.desc));
  return {};
}

namespace {

/// Memory of a thread for what oneDNN computes on the way; grows to what was needed at most.
class Scratch {
public:
  Scratch() = default;
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch() { ::operator delete(data, alignment); }
  void *get(size_t bytes) {
    if (bytes <= size)
      return data;
    ::operator delete(data, alignment);
    size = 0;
    data = ::operator new(bytes, alignment, std::nothrow);
    size = data ? bytes : 0;
    return data;
  }

private:
  static constexpr std::align_val_t alignment{64};
  void *data = nullptr;
  size_t size = 0;
};

/// The operands of one run.
class Arguments {
public:
  explicit Arguments(const OneDnn &library) : library(library) {}
  Arguments(const Arguments &) = delete;
  Arguments &operator=(const Arguments &) = delete;
  ~Arguments() {
    for (int i = 0; i != count; ++i)
      library.api.destroyMemory(list[i].memory);
  }
  int add(int number, const MemoryDesc &desc, const void *data) {
    int status = library.api.createMemory(&list[count].memory, &desc, library.engine,
                                          const_cast<void *>(data));
    if (status == statusSuccess)
      list[count++].arg = number;
    return status;
  }
  ExecArg list[6] = {};
  int count = 0;

private:
  const OneDnn &library;
};

} // namespace

Status Primitive::run(const Pointers &pointers) const {
  thread_local Scratch scratch;
  thread_local void *stream = nullptr;
  if (!stream)
    RELAX_CHECK_ONEDNN("make a stream",
                       library.api.createStream(&stream, library.engine, streamDefault));
  Arguments arguments(library);
  int status = arguments.add(Source, a, pointers.a);
  status |= arguments.add(Weights, b, pointers.b);
  status |= arguments.add(Destination, result, pointers.result);
  if (hasBias)
    status |= arguments.add(Bias, bias, pointers.bias);
  if (hasResidual)
    status |= arguments.add(postOpOperand(0), result, pointers.residual);
  if (scratchpadBytes != 0) {
    void *memory = scratch.get(scratchpadBytes);
    if (!memory)
      return Status(StatusCode::ResourceExhausted,
                    text("no memory for the ", byteText(scratchpadBytes), " that oneDNN needs"));
    status |= arguments.add(Scratchpad, scratchpad, memory);
  }
  RELAX_CHECK_ONEDNN("take the operands", status);
  RELAX_CHECK_ONEDNN("multiply",
                     library.api.execute(primitive, stream, arguments.count, arguments.list));
  RELAX_CHECK_ONEDNN("finish a product", library.api.waitStream(stream));
  return {};
}

Expected<std::shared_ptr<const Primitive>> PrimitiveCache::get(const OneDnn &library,
                                                               const MatmulShape &shape) {
  std::lock_guard<std::mutex> guard(lock);
  if (auto it = primitives.find(shape); it != primitives.end())
    return it->second;
  if (primitives.size() >= maxEntries)
    primitives.clear();
  Expected<std::shared_ptr<const Primitive>> made = Primitive::create(library, shape);
  if (made)
    primitives.emplace(shape, *made);
  return made;
}

} // namespace relax::runtime::onednn
