// What runtime/libraries/OneDnnAbi.h declares is what oneDNN's header declares.
#include "runtime/libraries/OneDnnAbi.h"

#include <dnnl.h>
#include <gtest/gtest.h>

#include <type_traits>

namespace onednn = relax::runtime::onednn;

static_assert(sizeof(onednn::MemoryDesc) >= sizeof(dnnl_memory_desc_t) &&
              alignof(onednn::MemoryDesc) >= alignof(dnnl_memory_desc_t));
static_assert(sizeof(onednn::MatmulDesc) >= sizeof(dnnl_matmul_desc_t) &&
              alignof(onednn::MatmulDesc) >= alignof(dnnl_matmul_desc_t));
static_assert(sizeof(onednn::ExecArg) == sizeof(dnnl_exec_arg_t) &&
              offsetof(onednn::ExecArg, memory) == offsetof(dnnl_exec_arg_t, memory));
static_assert(sizeof(onednn::Version) == sizeof(dnnl_version_t) &&
              offsetof(onednn::Version, patch) == offsetof(dnnl_version_t, patch));
static_assert(onednn::maxRank == DNNL_MAX_NDIMS);
static_assert(onednn::F32 == static_cast<int>(dnnl_f32) &&
              onednn::S32 == static_cast<int>(dnnl_s32) &&
              onednn::S8 == static_cast<int>(dnnl_s8) && onednn::U8 == static_cast<int>(dnnl_u8));
static_assert(onednn::statusSuccess == static_cast<int>(dnnl_success) &&
              onednn::engineCpu == static_cast<int>(dnnl_cpu) &&
              onednn::scratchpadUser == static_cast<int>(dnnl_scratchpad_mode_user) &&
              onednn::streamDefault == static_cast<int>(dnnl_stream_default_flags) &&
              onednn::binaryAdd == static_cast<int>(dnnl_binary_add) &&
              onednn::queryScratchpadDesc == static_cast<int>(dnnl_query_scratchpad_md));
static_assert(onednn::Source == DNNL_ARG_SRC && onednn::Weights == DNNL_ARG_WEIGHTS &&
              onednn::Bias == DNNL_ARG_BIAS && onednn::Destination == DNNL_ARG_DST &&
              onednn::Scratchpad == DNNL_ARG_SCRATCHPAD &&
              onednn::postOpOperand(0) == (DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1));

/// Functions whose parameters are pointers and integers of the same widths.
template <typename Ours, typename Theirs> struct SameCall : std::false_type {};
template <typename R, typename... A, typename S, typename... B>
struct SameCall<R (*)(A...), S (*)(B...)>
    : std::bool_constant<sizeof(R) == sizeof(S) && ((sizeof(A) == sizeof(B)) && ...) &&
                         ((std::is_pointer_v<A> == std::is_pointer_v<B>) && ...)> {};
#define SAME(member, function)                                                                     \
  static_assert(SameCall<decltype(onednn::Api::member), decltype(&(function))>::value)
SAME(version, dnnl_version);
SAME(createEngine, dnnl_engine_create);
SAME(createStream, dnnl_stream_create);
SAME(waitStream, dnnl_stream_wait);
SAME(initMemoryDesc, dnnl_memory_desc_init_by_strides);
SAME(initMatmulDesc, dnnl_matmul_desc_init);
SAME(createAttributes, dnnl_primitive_attr_create);
SAME(setScratchpadMode, dnnl_primitive_attr_set_scratchpad_mode);
SAME(createPostOps, dnnl_post_ops_create);
SAME(appendBinary, dnnl_post_ops_append_binary);
SAME(setPostOps, dnnl_primitive_attr_set_post_ops);
SAME(createPrimitiveDesc, dnnl_primitive_desc_create);
SAME(queryMemoryDesc, dnnl_primitive_desc_query_md);
SAME(memoryDescSize, dnnl_memory_desc_get_size);
SAME(createPrimitive, dnnl_primitive_create);
SAME(execute, dnnl_primitive_execute);
SAME(createMemory, dnnl_memory_create);

TEST(OneDnnAbi, EveryFunctionIsThere) {
  auto file =
      relax::runtime::SharedLibrary::open("oneDNN", "libdnnl.so.2", "RELAX_ONEDNN", "libdnnl2");
  ASSERT_TRUE(file) << file.status().message();
  onednn::Api api;
  EXPECT_TRUE(api.load(*file));
  EXPECT_EQ(api.version()->major, 2);
}
