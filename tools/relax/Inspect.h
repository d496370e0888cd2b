//===- Inspect.h - what is in a file ----------------------------------------------------------===//
//
// Each kind of file has a function that makes one JSON document of it, which `--json` prints as it
// is, and one that writes that document for people.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"
#include "runtime/support/Metadata.h"
#include "runtime/support/Status.h"

#include <nlohmann/json.hpp>

#include <string>

namespace relax::tool {

using Json = nlohmann::ordered_json;

/// Long arrays and texts are cut unless `all`.
Json metadataJson(const Metadata &metadata, bool all);
std::string metadataText(const Json &metadata);

/// `all`: every tensor, not only a summary by format.
Expected<Json> inspectGguf(const std::string &path, bool all);
std::string ggufText(const Json &document);

Expected<Json> inspectArtifact(const std::string &path, bool all);
std::string artifactText(const Json &document);

Expected<Json> inspectProgram(const std::string &path, bool guards = false);
std::string programText(const Json &document);

/// What each function assumes: where that came from, and whether it was proved (by what) or is
/// checked at run time. [{"name", "guards": [{"what", "source", "status", "by"}, …]}, …]
Expected<Json> artifactGuards(const std::string &path);
std::string guardsText(const Json &functions);

/// The value of a slot as an expression over the function's symbols, such as "4 * t + 64"; cut
/// where it is long.
std::string slotText(const artifact::Function &function, artifact::Slot slot);

} // namespace relax::tool
