#include "compiler/driver/PassPlugins.h"

#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/Error.h"

#include <filesystem>
#include <mutex>
#include <set>

namespace relax::driver {

Status loadPassPlugins(const std::vector<std::string> &paths) {
  static std::mutex mutex;
  static std::set<std::string> loaded;
  std::lock_guard<std::mutex> lock(mutex);
  for (const std::string &path : paths) {
    // A name without a folder would be looked for in the system's folders.
    std::error_code error;
    const std::string absolute = std::filesystem::absolute(path, error).string();
    if (!loaded.insert(absolute).second)
      continue;
    llvm::Expected<mlir::PassPlugin> plugin = mlir::PassPlugin::load(absolute);
    if (!plugin) {
      loaded.erase(absolute);
      return Status(StatusCode::InvalidFile, path + ": can't be loaded as a plugin with passes: " +
                                                 llvm::toString(plugin.takeError()));
    }
    plugin->registerPassRegistryCallbacks();
  }
  return {};
}

} // namespace relax::driver
