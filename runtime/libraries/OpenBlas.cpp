#include "runtime/libraries/OpenBlas.h"

#include "runtime/libraries/Libraries.h"
#include "runtime/libraries/MatmulCall.h"
#include "runtime/libraries/SharedLibrary.h"
#include "runtime/support/Text.h"

#include <cstring>
#include <mutex>

namespace relax::runtime {
namespace {

// The C interface of BLAS, as OpenBLAS has it with 32-bit integers.
constexpr int rowMajor = 101, notTransposed = 111, transposed = 112;
template <typename T>
using Gemm = void(int order, int transA, int transB, int m, int n, int k, T alpha, const T *a,
                  int lda, const T *b, int ldb, T beta, T *c, int ldc);

struct OpenBlas {
  Gemm<float> *sgemm = nullptr;
  Gemm<double> *dgemm = nullptr;
  void (*setThreads)(int) = nullptr;
  int (*getThreads)() = nullptr;
  std::string version;
};

/// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …" is "0.3.21".
std::string versionIn(const std::string &config) {
  size_t begin = config.find("OpenBLAS ");
  begin = begin == std::string::npos ? 0 : begin + 9;
  return config.substr(begin, config.find(' ', begin) - begin);
}

Expected<OpenBlas> openLibrary() {
  Expected<SharedLibrary> file =
      SharedLibrary::open("OpenBLAS", "libopenblas.so.0", "RELAX_OPENBLAS", "libopenblas0");
  if (!file)
    return file.takeStatus();
  OpenBlas library;
  char *(*config)() = nullptr;
  if (!file->find("cblas_sgemm", library.sgemm) || !file->find("cblas_dgemm", library.dgemm) ||
      !file->find("openblas_set_num_threads", library.setThreads) ||
      !file->find("openblas_get_num_threads", library.getThreads) ||
      !file->find("openblas_get_config", config))
    return Status(StatusCode::Unsupported,
                  text(file->name(), " is not OpenBLAS: it lacks cblas_sgemm, cblas_dgemm, "
                                     "openblas_set_num_threads or openblas_get_config"));
  library.version = versionIn(config());
  return library;
}

const Expected<OpenBlas> &openBlas() {
  static const Expected<OpenBlas> library = openLibrary();
  return library;
}

/// While one lives, OpenBLAS computes on the calling thread only. Its setting is one for the
/// process: the first to come keeps what the program had, the last to go gives it back.
class OneThread {
public:
  explicit OneThread(const OpenBlas &library) : library(library) {
    std::lock_guard<std::mutex> guard(lock);
    if (users++ == 0) {
      before = library.getThreads();
      if (before != 1)
        library.setThreads(1);
    }
  }
  OneThread(const OneThread &) = delete;
  OneThread &operator=(const OneThread &) = delete;
  ~OneThread() {
    std::lock_guard<std::mutex> guard(lock);
    if (--users == 0 && before != 1)
      library.setThreads(before);
  }

private:
  const OpenBlas &library;
  static inline std::mutex lock;
  static inline int users = 0, before = 1;
};

template <typename T>
Status multiply(const OpenBlas &library, Gemm<T> *gemm, const MatmulEntry &entry,
                const LibraryCall &call) {
  Expected<MatmulSizes> sizes = MatmulSizes::of(entry, call);
  if (!sizes)
    return sizes.takeStatus();
  if (sizes->k == 0 && call.sizes.back() != 0)
    std::memset(call.buffers.back(), 0, call.sizes.back());
  if (sizes->k == 0 || sizes->parts() == 0)
    return {};
  const T *a = static_cast<const T *>(call.buffers[0]),
          *b = static_cast<const T *>(call.buffers[1]);
  T *result = static_cast<T *>(call.buffers.back());
  int m = static_cast<int>(sizes->m), n = static_cast<int>(sizes->n),
      k = static_cast<int>(sizes->k);
  OneThread oneThread(library);
  call.pool.parallelFor(sizes->parts(), sizes->cost(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i != end; ++i) {
      MatmulPart part(entry, *sizes, i);
      gemm(rowMajor, entry.transposeA ? transposed : notTransposed,
           entry.transposeB ? transposed : notTransposed, static_cast<int>(part.rows),
           static_cast<int>(part.columns), k, T(1), a + part.a, entry.transposeA ? m : k,
           b + part.b, entry.transposeB ? k : n, T(0), result + part.result, n);
    }
  });
  return {};
}

} // namespace

const Expected<std::string> &openBlasVersion() {
  static const Expected<std::string> version = [] {
    const Expected<OpenBlas> &library = openBlas();
    return library ? Expected<std::string>(library->version)
                   : Expected<std::string>(Status(library.status()));
  }();
  return version;
}

Expected<LibraryFunction> openBlasFunction(const artifact::Library &wanted) {
  const Expected<OpenBlas> &library = openBlas();
  if (!library)
    return Status(library.status());
  if (wanted.name != "openblas.matmul")
    return Status(StatusCode::Unsupported,
                  text("this runtime has no library function ", inQuotes(wanted.name)));
  Expected<MatmulEntry> entry = MatmulEntry::of(wanted, 0);
  if (!entry)
    return entry.takeStatus();
  if (entry->a != entry->b || entry->a != entry->result ||
      (entry->a != artifact::DType::F32 && entry->a != artifact::DType::F64))
    return Status(StatusCode::Unsupported,
                  text("OpenBLAS multiplies f32 or f64; found ", artifact::name(entry->a), " and ",
                       artifact::name(entry->b)));
  bool wide = entry->a == artifact::DType::F64;
  return LibraryFunction([&library = *library, entry = *entry, wide](const LibraryCall &call) {
    return wide ? multiply(library, library.dgemm, entry, call)
                : multiply(library, library.sgemm, entry, call);
  });
}

} // namespace relax::runtime
