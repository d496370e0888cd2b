//===- TinyFile.h - small files of the architecture llama, right and wrong in one place -------===//
//
// Two layers, four heads of 8, two key heads, a vocabulary of 40. Weights are Q8_0 and of no
// meaning: only the graph is looked at.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/importers/gguf/File.h"
#include "tests/unit/gguf/GgufBuilder.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace relax::models::test {

struct TinyTensor {
  std::string name;
  std::vector<uint64_t> dims; ///< Innermost first, as in the file.
  uint32_t format;
};

/// What a test may change before the file is written.
struct TinyFile {
  std::string architecture = "llama";
  std::map<std::string, uint32_t> numbers = {
      {"block_count", 2},          {"context_length", 100},     {"embedding_length", 32},
      {"feed_forward_length", 64}, {"attention.head_count", 4}, {"attention.head_count_kv", 2},
      {"rope.dimension_count", 8}};
  std::map<std::string, std::string> texts;
  std::vector<TinyTensor> tensors;
  std::vector<std::string> tokens = std::vector<std::string>(40, "t");

  TinyFile() {
    tensors.push_back({"token_embd.weight", {32, 40}, 8});
    for (int i = 0; i < 2; ++i) {
      std::string p = "blk." + std::to_string(i) + ".";
      tensors.insert(tensors.end(), {{p + "attn_norm.weight", {32}, 0},
                                     {p + "attn_q.weight", {32, 32}, 8},
                                     {p + "attn_k.weight", {32, 16}, 8},
                                     {p + "attn_v.weight", {32, 16}, 8},
                                     {p + "attn_output.weight", {32, 32}, 8},
                                     {p + "ffn_norm.weight", {32}, 0},
                                     {p + "ffn_gate.weight", {32, 64}, 8},
                                     {p + "ffn_up.weight", {32, 64}, 8},
                                     {p + "ffn_down.weight", {64, 32}, 8}});
    }
    tensors.push_back({"output_norm.weight", {32}, 0});
  }

  TinyTensor &tensor(const std::string &name) {
    for (TinyTensor &tensor : tensors)
      if (tensor.name == name)
        return tensor;
    return tensors.front();
  }
  void remove(const std::string &name) {
    std::erase_if(tensors, [&](const TinyTensor &tensor) { return tensor.name == name; });
  }

  std::vector<uint8_t> bytes() const {
    gguf::test::GgufBuilder out;
    out.header(tensors.size(), 3 + numbers.size() + texts.size());
    out.text("general.architecture", architecture);
    out.f32(architecture + ".attention.layer_norm_rms_epsilon", 1e-5f);
    out.strings("tokenizer.ggml.tokens", tokens);
    for (const auto &[key, value] : numbers)
      out.u32(architecture + "." + key, value);
    for (const auto &[key, value] : texts)
      out.text(architecture + "." + key, value);
    uint64_t offset = 0;
    for (const TinyTensor &tensor : tensors) {
      out.tensor(tensor.name, tensor.dims, tensor.format, offset);
      const gguf::TensorFormat *format = gguf::findTensorFormat(tensor.format);
      uint64_t size = format->blockBytes;
      for (size_t axis = 0; axis < tensor.dims.size(); ++axis)
        size *= axis == 0 ? tensor.dims[axis] / format->blockElements : tensor.dims[axis];
      offset += (size + 31) / 32 * 32;
    }
    return out.data(offset).bytes;
  }
};

} // namespace relax::models::test
