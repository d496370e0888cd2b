#include "runtime/libraries/Libraries.h"

#include "runtime/libraries/OneDnn.h"
#include "runtime/libraries/OpenBlas.h"
#include "runtime/loader/CpuFeatures.h"
#include "runtime/support/Text.h"

namespace relax::runtime {

std::span<const ExternalLibrary> externalLibraries() {
  static const ExternalLibrary table[] = {
      {"openblas", "OpenBLAS", "libopenblas0", "RELAX_OPENBLAS", openBlasVersion, openBlasFunction},
      {"onednn", "oneDNN", "libdnnl2", "RELAX_ONEDNN", oneDnnVersion, oneDnnFunction},
  };
  return table;
}

const ExternalLibrary *externalLibraryOf(std::string_view function) {
  for (const ExternalLibrary &library : externalLibraries())
    if (std::string_view prefix = library.prefix;
        function.starts_with(prefix) && function.substr(prefix.size()).starts_with('.'))
      return &library;
  return nullptr;
}

Expected<LibraryFunction> externalFunction(const artifact::Library &entry) {
  const ExternalLibrary *library = externalLibraryOf(entry.name);
  if (!library)
    return Status(StatusCode::Unsupported, text("calls the library function ", inQuotes(entry.name),
                                                ", which this program does not have"));
  Expected<LibraryFunction> function = library->function(entry);
  if (!function)
    return std::move(function.takeStatus())
        .withContext(text("calls the library function ", inQuotes(entry.name)));
  return function;
}

ThresholdChoice chooseThreshold(const artifact::Module &module,
                                const artifact::Threshold &threshold) {
  const artifact::Library &entry = module.libraries[threshold.library];
  const ExternalLibrary *library = externalLibraryOf(entry.name);
  if (!threshold.tuned || !library)
    return {threshold.byDefault, ""};
  const Expected<std::string> &version = library->version();
  if (!version)
    return {artifact::Threshold::never, ""};
  if (*version != threshold.version)
    return {threshold.byDefault,
            text("its thresholds were measured with ", library->title, ' ', threshold.version,
                 ", and this is ", *version, ": safe defaults hold instead")};
  if (cpuName() != threshold.cpu)
    return {threshold.byDefault,
            text("its thresholds were measured on ", inQuotes(threshold.cpu), ", and this is ",
                 inQuotes(cpuName()), ": safe defaults hold instead")};
  return {*threshold.tuned, ""};
}

} // namespace relax::runtime
