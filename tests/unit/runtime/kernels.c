// Kernels for the runtime's tests, by the interface that compiled ones have: the units [begin, end)
// are elements.
#include <stdint.h>

typedef void *const *Buffers;

// out = 2 * in
void k_double(Buffers buffers, const int64_t *symbols, int64_t begin, int64_t end) {
  const float *in = buffers[0];
  float *out = buffers[1];
  (void)symbols;
  for (int64_t i = begin; i != end; ++i)
    out[i] = 2 * in[i];
}

// out = a + b
void k_add(Buffers buffers, const int64_t *symbols, int64_t begin, int64_t end) {
  const float *a = buffers[0], *b = buffers[1];
  float *out = buffers[2];
  (void)symbols;
  for (int64_t i = begin; i != end; ++i)
    out[i] = a[i] + b[i];
}

// Adds the first symbol to each element, in place.
void k_increase(Buffers buffers, const int64_t *symbols, int64_t begin, int64_t end) {
  float *data = buffers[0];
  for (int64_t i = begin; i != end; ++i)
    data[i] += (float)symbols[0];
}

// out = the first symbol
void k_fill(Buffers buffers, const int64_t *symbols, int64_t begin, int64_t end) {
  float *out = buffers[0];
  for (int64_t i = begin; i != end; ++i)
    out[i] = (float)symbols[0];
}
