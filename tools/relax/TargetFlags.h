//===- TargetFlags.h - flags for what code is made for ----------------------------------------===//
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace relax::tool {

/// Describes --target: a machine by its name, or `several`, with commas between.
void addTarget(CLI::App &command, std::string &target, const std::string &what,
               bool several = false);
/// Describes --activations and --cache-type; an empty type stands for the default.
void addActivations(CLI::App &command, std::string &activations, const std::string &what);
void addCacheType(CLI::App &command, std::string &cacheType, const std::string &what);
/// What these may be: int8, int16, float32.
CLI::Validator isActivations();
/// What --cache-type may be (runtime/kv_cache/CacheType.h).
CLI::Validator isCacheType();
/// Which of the code of something compiled that means: any for "native", the best.
std::string codeTarget(const std::string &target);

} // namespace relax::tool
