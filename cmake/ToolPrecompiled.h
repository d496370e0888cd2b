// What most files of the command include; compiled once. Files still include what they use.
#pragma once

#include "cmake/StandardPrecompiled.h"

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <filesystem>
