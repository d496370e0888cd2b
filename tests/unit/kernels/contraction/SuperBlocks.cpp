#include "tests/unit/kernels/contraction/SuperBlocks.h"

#include "tests/unit/kernels/KernelRunner.h"

#include <cstring>

namespace relax::test {
namespace {

constexpr int8_t codebook[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                 1,    13,   25,  38,  53,  69,  89,  113};

double half(const uint8_t *bytes) {
  uint16_t bits;
  std::memcpy(&bits, bytes, 2);
  return fromHalf(bits);
}

/// The six-bit scale and minimum of group g of q4_k and q5_k.
void sixBits(const uint8_t *s, int g, int &scale, int &minimum) {
  if (g < 4) {
    scale = s[g] & 63;
    minimum = s[g + 4] & 63;
  } else {
    scale = (s[g + 4] & 15) | ((s[g - 4] >> 6) << 4);
    minimum = (s[g + 4] >> 4) | ((s[g] >> 6) << 4);
  }
}

SuperBlockElement q2k(const uint8_t *b, int i) {
  int n = i / 128, shift = i % 128 / 32 * 2, l = i % 32, s = b[i / 16];
  int q = b[16 + 32 * n + l] >> shift & 3;
  return {half(b + 80) * (s & 15), double(q), 0, half(b + 82) * (s >> 4)};
}

SuperBlockElement q3k(const uint8_t *b, int i) {
  int n = i / 128, shift = i % 128 / 32 * 2, l = i % 32, g = i / 16;
  const uint8_t *s = b + 96;
  int low = g < 8 ? s[g] & 15 : s[g - 8] >> 4, high = s[8 + g % 4] >> (g / 4 * 2) & 3;
  int q = (b[32 + 32 * n + l] >> shift & 3) | (b[l] >> (i / 32) & 1) << 2;
  return {half(b + 108) * ((low | high << 4) - 32), double(q), 4, 0};
}

SuperBlockElement q45k(const uint8_t *b, int i, bool five) {
  int scale, minimum, pair = i / 64, l = i % 32;
  sixBits(b + 4, i / 32, scale, minimum);
  int q = b[(five ? 48 : 16) + 32 * pair + l];
  q = i % 64 < 32 ? q & 15 : q >> 4;
  if (five)
    q |= (b[16 + l] >> (i / 32) & 1) << 4;
  return {half(b) * scale, double(q), 0, half(b + 2) * minimum};
}

SuperBlockElement q6k(const uint8_t *b, int i) {
  int n = i / 128, part = i % 128 / 32, l = i % 32;
  int low = b[64 * n + l + (part % 2) * 32];
  low = part < 2 ? low & 15 : low >> 4;
  int q = low | (b[128 + 32 * n + l] >> (2 * part) & 3) << 4;
  return {half(b + 208) * static_cast<int8_t>(b[192 + i / 16]), double(q), 32, 0};
}

SuperBlockElement iq4xs(const uint8_t *b, int i) {
  int g = i / 32, l = i % 32;
  int high = (b[2] | b[3] << 8) >> (2 * g) & 3, low = b[4 + g / 2] >> (4 * (g % 2)) & 15;
  int code = b[8 + 16 * g + l % 16];
  code = l < 16 ? code & 15 : code >> 4;
  return {half(b) * ((low | high << 4) - 32), double(codebook[code]), 0, 0};
}

SuperBlockElement iq4nl(const uint8_t *b, int i) {
  int code = b[2 + i % 16];
  return {half(b), double(codebook[i < 16 ? code & 15 : code >> 4]), 0, 0};
}

} // namespace

SuperBlockHalves superBlockHalves(const std::string &format) {
  if (format == "q2_k")
    return {80, 82};
  if (format == "q3_k")
    return {108, -1};
  if (format == "q6_k")
    return {208, -1};
  return {0, format.starts_with("iq") ? -1 : 2};
}

SuperBlockElement superBlockElement(const std::string &format, const uint8_t *block, int index) {
  if (format == "q2_k")
    return q2k(block, index);
  if (format == "q3_k")
    return q3k(block, index);
  if (format == "q6_k")
    return q6k(block, index);
  if (format == "iq4_xs")
    return iq4xs(block, index);
  if (format == "iq4_nl")
    return iq4nl(block, index);
  return q45k(block, index, format == "q5_k");
}

} // namespace relax::test
