// llvm::getTypeName as clang spells names; stands before LLVM's own header where GCC compiles.
//
// MLIR identifies traits and interfaces across shared libraries by such a name, and asks for it
// with a local class as the argument. The packaged libMLIR is built by clang, which writes the name
// of that as mlir::OpTrait::IsTerminator<Empty>, where GCC writes
// mlir::OpTrait::IsTerminator<mlir::TypeID::get<mlir::OpTrait::IsTerminator>()::Empty>. Without
// this header no trait of an op would be found in code that GCC compiled.
#ifndef LLVM_SUPPORT_TYPENAME_H
#define LLVM_SUPPORT_TYPENAME_H

#include "llvm/ADT/StringRef.h"

#include <array>
#include <string_view>

namespace llvm {
namespace relax_detail {

template <typename DesiredTypeName> constexpr std::string_view gccTypeName() {
  std::string_view name = __PRETTY_FUNCTION__;
  std::string_view key = "DesiredTypeName = ";
  name.remove_prefix(name.find(key) + key.size());
  // "…; std::string_view = …]" follows.
  size_t end = name.find("; std::string_view = ");
  return name.substr(0, end == std::string_view::npos ? name.size() - 1 : end);
}

/// The place of the `<` that the last character, a `>`, closes.
constexpr size_t openingBracket(std::string_view name) {
  size_t depth = 0;
  for (size_t i = name.size(); i-- != 0;) {
    depth += name[i] == '>';
    depth -= name[i] == '<';
    if (depth == 0)
      return i;
  }
  return 0;
}

template <typename DesiredTypeName> struct ClangTypeName {
  static constexpr std::string_view gcc = gccTypeName<DesiredTypeName>();
  static constexpr std::string_view localArgument = "()::Empty>";
  static constexpr bool isTrait = gcc.ends_with(localArgument);
  static constexpr std::string_view prefix = isTrait ? gcc.substr(0, openingBracket(gcc)) : gcc;
  static constexpr std::string_view suffix = isTrait ? "<Empty>" : "";
  static constexpr auto text = [] {
    std::array<char, prefix.size() + suffix.size() + 1> joined{};
    prefix.copy(joined.data(), prefix.size());
    suffix.copy(joined.data() + prefix.size(), suffix.size());
    return joined;
  }();
};

} // namespace relax_detail

template <typename DesiredTypeName> constexpr StringRef getTypeName() {
  using Name = relax_detail::ClangTypeName<DesiredTypeName>;
  return StringRef(Name::text.data(), Name::text.size() - 1);
}

} // namespace llvm

#endif // LLVM_SUPPORT_TYPENAME_H
