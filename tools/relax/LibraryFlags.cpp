#include "tools/relax/LibraryFlags.h"

namespace relax::tool {

void addLibraryFlags(CLI::App &command, CompileRequest &request) {
  command
      .add_option(
          "--libraries", request.libraries,
          "Libraries that may be called where they are faster: openblas, onednn; auto: those "
          "that `relax tune-dispatch` measured here (the default for programs); none (the "
          "default for models, whose results then don't depend on the batch)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"openblas", "onednn", "auto", "none"}))
      ->type_name("NAME[,NAME...]");
  command.add_flag("--library-required", request.libraryRequired,
                   "Make no kernels for what a library does: it must be there, for all sizes");
  command
      .add_option("--library-patterns", request.libraryPatterns,
                  "A file of patterns for a library of your own, PDL (.mlir) or PDLL (.pdll); may "
                  "be given again (docs/libraries.md)")
      ->allow_extra_args(false)
      ->type_name("FILE");
  command
      .add_option("--library-thresholds", request.libraryThresholds,
                  "The measurements to use, instead of those in the cache folder")
      ->type_name("FILE.json");
}

} // namespace relax::tool
