//===- Statistics.h - how long things took ----------------------------------------------------===//
#pragma once

#include <chrono>
#include <cstdint>

namespace relax::llm {

/// Seconds since it was made.
class Stopwatch {
public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

private:
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

/// Of one answer. Rates are 0 where nothing was measured.
struct Statistics {
  int64_t promptTokens = 0;     ///< Of the whole prompt.
  int64_t reusedTokens = 0;     ///< Those that the cache already had.
  int64_t generatedTokens = 0;  ///< An end token included.
  double prefillSeconds = 0;    ///< From the prompt's first step to its last one's end.
  double firstTokenSeconds = 0; ///< From the call to the first token.
  double decodeSeconds = 0;     ///< All steps after the prompt's.
  int64_t decodeSteps = 0;

  [[nodiscard]] double prefillRate() const {
    return rate(promptTokens - reusedTokens, prefillSeconds);
  }
  [[nodiscard]] double decodeRate() const { return rate(decodeSteps, decodeSeconds); }

private:
  static double rate(int64_t count, double seconds) {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0;
  }
};

/// The most memory that this process has had, in bytes (VmHWM); 0 if the system doesn't say.
uint64_t peakMemory();
/// What it takes now beside the files that it maps (RssAnon), as above.
uint64_t residentMemory();
/// The memory that this process can have at most: the machine's, or that of its control group; 0 if
/// the system doesn't say.
uint64_t machineMemory();

} // namespace relax::llm
