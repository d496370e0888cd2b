// What most tests without MLIR include; compiled once. Files still include what they use.
#pragma once

#include "cmake/StandardPrecompiled.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
