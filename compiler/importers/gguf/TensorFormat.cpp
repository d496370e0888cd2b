//===- TensorFormat.cpp - the element formats of GGUF tensors ---------------------------------===//
#include "compiler/importers/gguf/TensorFormat.h"

#include <iterator>

namespace relax::gguf {

static constexpr TensorFormat formats[] = {
    {0, "f32", 1, 4},         {1, "f16", 1, 2},         {2, "q4_0", 32, 18},
    {3, "q4_1", 32, 20},      {6, "q5_0", 32, 22},      {7, "q5_1", 32, 24},
    {8, "q8_0", 32, 34},      {9, "q8_1", 32, 36},      {10, "q2_k", 256, 84},
    {11, "q3_k", 256, 110},   {12, "q4_k", 256, 144},   {13, "q5_k", 256, 176},
    {14, "q6_k", 256, 210},   {15, "q8_k", 256, 292},   {16, "iq2_xxs", 256, 66},
    {17, "iq2_xs", 256, 74},  {18, "iq3_xxs", 256, 98}, {19, "iq1_s", 256, 50},
    {20, "iq4_nl", 32, 18},   {21, "iq3_s", 256, 110},  {22, "iq2_s", 256, 82},
    {23, "iq4_xs", 256, 136}, {24, "i8", 1, 1},         {25, "i16", 1, 2},
    {26, "i32", 1, 4},        {27, "i64", 1, 8},        {28, "f64", 1, 8},
    {29, "iq1_m", 256, 56},   {30, "bf16", 1, 2},       {34, "tq1_0", 256, 54},
    {35, "tq2_0", 256, 66},   {39, "mxfp4", 32, 17},    {40, "nvfp4", 64, 36},
    {41, "q1_0", 128, 18},    {42, "q2_0", 64, 18},
};

std::span<const TensorFormat> tensorFormats() { return formats; }

const TensorFormat *findTensorFormat(uint32_t id) {
  for (const TensorFormat &format : formats)
    if (format.id == id)
      return &format;
  return nullptr;
}

const char *removedTensorFormat(uint32_t id) {
  static constexpr struct {
    uint32_t id;
    const char *name;
  } removed[] = {{4, "q4_2"},      {5, "q4_3"},        {31, "q4_0_4_4"},   {32, "q4_0_4_8"},
                 {33, "q4_0_8_8"}, {36, "iq4_nl_4_4"}, {37, "iq4_nl_4_8"}, {38, "iq4_nl_8_8"}};
  for (const auto &format : removed)
    if (format.id == id)
      return format.name;
  return nullptr;
}

std::string tensorFormatNames() {
  std::string names;
  for (const TensorFormat &format : formats)
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

} // namespace relax::gguf
