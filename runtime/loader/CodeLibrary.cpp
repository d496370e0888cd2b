//===- CodeLibrary.cpp ------------------------------------------------------------------------===//
#include "runtime/loader/CodeLibrary.h"

#include "runtime/loader/CpuFeatures.h"
#include "runtime/support/Text.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

namespace relax::runtime {
namespace {

#if defined(__x86_64__)
constexpr uint16_t hostMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t hostMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr uint16_t hostMachine = EM_RISCV;
#else
constexpr uint16_t hostMachine = EM_NONE;
#endif

std::string joined(const std::vector<std::string> &names) {
  std::string out;
  for (const std::string &name : names)
    out += (out.empty() ? "" : ", ") + name;
  return out;
}

/// The linker trusts what it loads; at least the kind of file must be right.
Status checkImage(const artifact::CodeObject &object) {
  std::span<const uint8_t> image = object.image.span();
  auto bad = [&](const std::string &why) {
    return Status(StatusCode::InvalidFile,
                  text("the code for ", inQuotes(object.target), ' ', why));
  };
  Elf64_Ehdr header;
  if (image.size() < sizeof header)
    return bad(text("is cut off: ", image.size(), " bytes"));
  std::memcpy(&header, image.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN)
    return bad("is not a 64-bit ELF shared object");
  if (header.e_machine != hostMachine)
    return Status(StatusCode::Unsupported,
                  text("the code for ", inQuotes(object.target), " is for ELF machine ",
                       header.e_machine, "; this machine is ", hostMachine));
  if (header.e_phoff > image.size() ||
      uint64_t{header.e_phnum} * sizeof(Elf64_Phdr) > image.size() - header.e_phoff ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return bad("has program headers outside itself");
  return {};
}

/// A file in memory that holds `bytes`; -1 and errno on failure.
int makeMemoryFile(const std::string &name, std::span<const uint8_t> bytes) {
  int file = ::memfd_create(name.c_str(), MFD_CLOEXEC);
  while (file >= 0 && !bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0) {
      int error = errno;
      ::close(file);
      errno = error;
      return -1;
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return file;
}

} // namespace

Expected<size_t> chooseCodeObject(const std::vector<artifact::CodeObject> &objects,
                                  const std::string &wanted) {
  size_t best = objects.size();
  std::string lacking, there;
  for (size_t i = 0; i != objects.size(); ++i) {
    there += text(there.empty() ? "" : ", ", objects[i].target);
    if (!wanted.empty() && objects[i].target != wanted)
      continue;
    std::vector<std::string> missing = missingFeatures(objects[i].features);
    if (!missing.empty())
      lacking += text(lacking.empty() ? "" : "; ", inQuotes(objects[i].target), " needs ",
                      joined(missing));
    else if (best == objects.size() || objects[i].features.size() > objects[best].features.size())
      best = i;
  }
  if (best != objects.size())
    return best;
  if (!wanted.empty() && lacking.empty())
    return Status(StatusCode::InvalidArgument, text("has no code for the target ", inQuotes(wanted),
                                                    "; it has code for ", there));
  return Status(StatusCode::Unsupported,
                text("this CPU can't run ", wanted.empty() ? "any of its code: " : "that code: ",
                     lacking, wanted.empty() ? ": compile the model for this machine" : ""));
}

Expected<CodeLibrary> CodeLibrary::load(const artifact::Module &module, const std::string &wanted) {
  CodeLibrary result;
  if (module.kernels.empty())
    return result;
  Expected<size_t> choice = chooseCodeObject(module.objects, wanted);
  if (!choice)
    return choice.takeStatus();
  const artifact::CodeObject &object = module.objects[*choice];
  RELAX_RETURN_IF_ERROR(checkImage(object));

  result.object = *choice;
  result.level = object.target;
  result.file = makeMemoryFile("relax-kernels", object.image.span());
  if (result.file < 0)
    return Status(StatusCode::Io, text("no memory file for the code: ", std::strerror(errno)));
  std::string path = text("/proc/self/fd/", result.file);
  result.handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!result.handle)
    return Status(StatusCode::InvalidFile, text("the code for ", inQuotes(object.target),
                                                " can't be loaded: ", ::dlerror()));
  for (const artifact::Kernel &kernel : module.kernels) {
    void *address = ::dlsym(result.handle, kernel.name.c_str());
    if (!address)
      return Status(StatusCode::InvalidFile, text("the code for ", inQuotes(object.target),
                                                  " has no kernel ", inQuotes(kernel.name)));
    result.functions.push_back(reinterpret_cast<KernelFunction>(address));
  }
  return result;
}

CodeLibrary::~CodeLibrary() {
  if (handle)
    ::dlclose(handle);
  if (file >= 0)
    ::close(file);
}

} // namespace relax::runtime
