#include "tests/unit/kernels/contraction/Weights.h"

#include "tests/unit/kernels/contraction/SuperBlocks.h"

#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>

namespace relax::test {
namespace {

std::mt19937 &generator() {
  static std::mt19937 engine(11);
  return engine;
}

float uniform(float low, float high) {
  return std::uniform_real_distribution<float>(low, high)(generator());
}

std::string fixed(int64_t a, int64_t b, const char *element) {
  return "tensor<" + std::to_string(a) + "x" + std::to_string(b) + "x" + element + ">";
}

std::string rowsOf(int64_t columns) {
  std::string n = std::to_string(columns);
  return "tensor<?x" + n + "xf32, #relax.shape<[s0, " + n + "]>>";
}

std::string cube(int64_t planes, int64_t columns, const char *element) {
  std::string p = std::to_string(planes), n = std::to_string(columns);
  return "tensor<?x" + p + "x" + n + "x" + element + ", #relax.shape<[s0, " + p + ", " + n + "]>>";
}

std::string program(const std::string &arguments, const std::string &results,
                    const std::string &body, bool hasSymbol = true) {
  return "func.func private @k(" + arguments + ") -> " + results +
         " attributes {relax.kernel, relax.kernel_symbols = [" + (hasSymbol ? "\"s0\"" : "") +
         "]} {\n" + body + "}\n";
}

int64_t packedRowBytes(const StoredMatrix &matrix) {
  return matrix.columns / matrix.format.blockSize() * matrix.format.packedBlockBytes();
}

std::string packedType(const StoredMatrix &matrix) {
  return fixed((matrix.rows + 15) / 16, packedRowBytes(matrix), "i8");
}

std::string attributes(const StoredMatrix &matrix) {
  return "{format = \"" + matrix.format.name + "\", rows = " + std::to_string(matrix.rows) +
         " : i64}";
}

void fillFloat(const StoredFormat &format, uint8_t *bytes, double &value, double &magnitude) {
  float x = uniform(-1, 1);
  if (format.name == "f16") {
    uint16_t half = toHalf(x);
    std::memcpy(bytes, &half, 2);
    x = fromHalf(half);
  } else if (format.name == "bf16") {
    uint32_t bits;
    std::memcpy(&bits, &x, 4);
    bits &= 0xFFFF0000u;
    uint16_t upper = bits >> 16;
    std::memcpy(bytes, &upper, 2);
    std::memcpy(&x, &bits, 4);
  } else {
    std::memcpy(bytes, &x, 4);
  }
  value = x;
  magnitude = std::fabs(x);
}

void fillRandom(const StoredFormat &format, BlockBytes zeros, uint8_t *bytes) {
  for (int i = 0; i < format.blockBytes; ++i)
    bytes[i] = i >= zeros.begin && i < zeros.end ? 0 : static_cast<uint8_t>(generator()());
}

void fillBlock(const StoredFormat &format, BlockBytes zeros, uint8_t *bytes, double *values,
               double *magnitudes) {
  fillRandom(format, zeros, bytes);
  uint16_t scale = toHalf(uniform(0.001f, 0.1f));
  std::memcpy(bytes, &scale, 2);
  double minimum = 0;
  if (format.hasMin) {
    uint16_t bits = toHalf(uniform(-1, 0.1f));
    std::memcpy(bytes + 2, &bits, 2);
    minimum = fromHalf(bits);
  }
  uint32_t high = 0;
  if (format.bits == 5)
    std::memcpy(&high, bytes + (format.hasMin ? 4 : 2), 4);
  const uint8_t *quants = bytes + format.blockBytes - (format.bits == 8 ? 32 : 16);
  for (int i = 0; i < 32; ++i) {
    int q = format.bits == 8 ? static_cast<int8_t>(quants[i])
            : i < 16         ? quants[i] & 15
                             : quants[i - 16] >> 4;
    if (format.bits == 5)
      q |= static_cast<int>(high >> i & 1) << 4;
    double product = double(fromHalf(scale)) * (q - format.offset);
    values[i] = product + minimum;
    magnitudes[i] = std::fabs(double(fromHalf(scale)) * q) +
                    std::fabs(double(fromHalf(scale)) * format.offset) + std::fabs(minimum);
  }
}

/// Random bytes with sane scales.
void fillSuperBlock(const StoredFormat &format, BlockBytes zeros, uint8_t *bytes, double *values,
                    double *magnitudes) {
  fillRandom(format, zeros, bytes);
  SuperBlockHalves halves = superBlockHalves(format.name);
  for (int at : {halves.scale, halves.minimum})
    if (at >= 0) {
      uint16_t bits = toHalf(uniform(0.001f, 0.1f));
      std::memcpy(bytes + at, &bits, 2);
    }
  for (int i = 0; i < format.elements; ++i) {
    SuperBlockElement element = superBlockElement(format.name, bytes, i);
    values[i] = element.scale * (element.q - element.offset) - element.minimum;
    magnitudes[i] = std::fabs(element.scale) * (std::fabs(element.q) + element.offset) +
                    std::fabs(element.minimum);
  }
}

} // namespace

const std::vector<StoredFormat> &storedFormats() {
  static const std::vector<StoredFormat> formats = {
      {"q4_0", 4, false, 8, 18},
      {"q4_1", 4, true, 0, 20},
      {"q5_0", 5, false, 16, 22},
      {"q5_1", 5, true, 0, 24},
      {"q8_0", 8, false, 0, 34},
      {"iq4_nl", 4, false, 0, 18},
      // Headers of d (and m), and for each 32 the groups' integers and the bits of q.
      {"q2_k", 2, true, 0, 84, 256, 64 + 8 * (64 + 128)},
      {"q3_k", 3, false, 4, 110, 256, 32 + 8 * (32 + 192)},
      {"q4_k", 4, true, 0, 144, 256, 64 + 8 * (32 + 256)},
      {"q5_k", 5, true, 0, 176, 256, 64 + 8 * (32 + 320)},
      {"q6_k", 6, false, 32, 210, 256, 32 + 8 * (32 + 384)},
      {"iq4_xs", 4, false, 0, 136, 256, 32 + 8 * (16 + 256)},
      {"f32", 32, false, 0, 4},
      {"f16", 16, false, 0, 2},
      {"bf16", 16, false, 0, 2}};
  return formats;
}

StoredMatrix::StoredMatrix(const StoredFormat &format, int64_t rows, int64_t columns,
                           BlockBytes zeros)
    : format(format), rows(rows), columns(columns), bytes(rows * format.rowBytes(columns)),
      values(rows * columns), magnitudes(rows * columns) {
  int64_t size = format.blockSize();
  for (int64_t i = 0; i < rows * columns / size; ++i) {
    uint8_t *block = &bytes[i * format.blockBytes];
    if (format.isFloat())
      fillFloat(format, block, values[i], magnitudes[i]);
    else if (format.elements > 32 || format.name == "iq4_nl")
      fillSuperBlock(format, zeros, block, &values[i * size], &magnitudes[i * size]);
    else
      fillBlock(format, zeros, block, &values[i * size], &magnitudes[i * size]);
  }
}

std::string packProgram(const StoredMatrix &matrix) {
  std::string from = fixed(matrix.rows, matrix.format.rowBytes(matrix.columns), "i8");
  std::string to = packedType(matrix);
  return program("%b: " + from, to,
                 "  %p = relax.pack_weights %b {format = \"" + matrix.format.name + "\"} : (" +
                     from + ") -> " + to + "\n  return %p : " + to + "\n",
                 /*hasSymbol=*/false);
}

std::string quantizeProgram(int64_t columns, int64_t planes) {
  std::string x = rowsOf(columns), q = cube(planes, columns, "i8"),
              d = cube(planes, columns / 32, "f32"), s = cube(planes, columns / 32, "i32");
  std::string results = q + ", " + d + ", " + s;
  return program(
      "%x: " + x, "(" + results + ")",
      "  %q, %d, %s = relax.quantize_activations %x {planes = " + std::to_string(planes) +
          " : i64} : (" + x + ") -> (" + results + ")\n  return %q, %d, %s : " + results + "\n");
}

std::string quantizedMatmulProgram(const StoredMatrix &matrix, int64_t planes, bool withEpilogue) {
  std::string q = cube(planes, matrix.columns, "i8"), d = cube(planes, matrix.columns / 32, "f32"),
              s = cube(planes, matrix.columns / 32, "i32"), p = packedType(matrix),
              y = rowsOf(matrix.rows);
  std::string n = std::to_string(matrix.rows);
  std::string body = "  %y = relax.quantized_matmul %q, %d, %s, %p " + attributes(matrix) + " : (" +
                     q + ", " + d + ", " + s + ", " + p + ") -> " + y + "\n";
  if (!withEpilogue)
    return program("%q: " + q + ", %d: " + d + ", %s: " + s + ", %p: " + p, y,
                   body + "  return %y : " + y + "\n");
  // y * bias[n] + residual[t, n]
  std::string maps = "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) "
                     "-> (i, j)>, affine_map<(i, j) -> (i, j)>";
  body += "  %t = relax.symbol_value #relax.expr<s0>\n  %e = tensor.empty(%t) : " + y +
          "\n  %z = linalg.generic {indexing_maps = [" + maps +
          "], iterator_types = [\"parallel\", \"parallel\"]} ins(%y, %bias, %r : " + y +
          ", tensor<" + n + "xf32>, " + y + ") outs(%e : " + y +
          ") {\n  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):\n    %m = arith.mulf %a, %b : f32\n"
          "    %v = arith.addf %m, %c : f32\n    linalg.yield %v : f32 } -> " +
          y + "\n  return %z : " + y + "\n";
  return program("%q: " + q + ", %d: " + d + ", %s: " + s + ", %p: " + p + ", %bias: tensor<" + n +
                     "xf32>, %r: " + y,
                 y, body);
}

std::string packedMatmulProgram(const StoredMatrix &matrix) {
  std::string x = rowsOf(matrix.columns), p = packedType(matrix), y = rowsOf(matrix.rows);
  return program("%x: " + x + ", %p: " + p, y,
                 "  %y = relax.packed_matmul %x, %p " + attributes(matrix) + " : (" + x + ", " + p +
                     ") -> " + y + "\n  return %y : " + y + "\n");
}

std::vector<float> randomActivations(int64_t tokens, int64_t columns) {
  std::vector<float> x(tokens * columns);
  for (float &value : x)
    value = uniform(-1, 1) * std::pow(10.0f, uniform(-2, 2));
  return x;
}

QuantizedRows quantize(const std::vector<float> &x, int64_t columns, int64_t planes,
                       const KernelOptions &options) {
  Kernel kernel(quantizeProgram(columns, planes), options);
  if (!kernel.ok())
    throw std::runtime_error(kernel.error());
  int64_t tokens = static_cast<int64_t>(x.size()) / columns;
  QuantizedRows rows;
  rows.quants.resize(tokens * planes * columns);
  rows.scales.resize(tokens * planes * columns / 32);
  rows.sums.resize(rows.scales.size());
  kernel.run({x.data()}, {rows.quants.data(), rows.scales.data(), rows.sums.data()}, {tokens}, 2);
  return rows;
}

std::vector<uint8_t> pack(const StoredMatrix &matrix, const KernelOptions &options) {
  Kernel kernel(packProgram(matrix), options);
  if (!kernel.ok())
    throw std::runtime_error(kernel.error());
  std::vector<uint8_t> packed((matrix.rows + 15) / 16 * packedRowBytes(matrix), 0xFF);
  kernel.run({matrix.bytes.data()}, {packed.data()}, {}, 3);
  return packed;
}

} // namespace relax::test
