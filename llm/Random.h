//===- Random.h - random numbers that are the same everywhere ---------------------------------===//
#pragma once

#include <cstdint>

namespace relax::llm {

/// xoshiro256++ 1.0 (Blackman and Vigna), its state filled by SplitMix64 from a seed: the same
/// sequence for a seed on every machine and library, which <random>'s distributions don't promise.
class Random {
public:
  explicit Random(uint64_t seed) {
    for (uint64_t &word : state) {
      seed += 0x9e3779b97f4a7c15u;
      uint64_t mixed = seed;
      mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
      mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
      word = mixed ^ (mixed >> 31);
    }
  }

  uint64_t next() {
    const uint64_t result = rotate(state[0] + state[3], 23) + state[0];
    const uint64_t shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotate(state[3], 45);
    return result;
  }

  /// Uniform in [0, 1): a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
  static uint64_t rotate(uint64_t x, int by) { return x << by | x >> (64 - by); }

  uint64_t state[4];
};

} // namespace relax::llm
