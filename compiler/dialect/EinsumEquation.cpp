//===- EinsumEquation.cpp - the equation of einsum, read --------------------------------------===//
#include "compiler/dialect/EinsumEquation.h"

#include <algorithm>

using namespace mlir;

namespace relax::ir {
namespace {

class Reader {
public:
  Reader(const Rule &rule, StringRef text) : rule(rule), text(text) {}

  /// A group of letters, its `...` expanded to `count` dimensions (the last of them is '0').
  FailureOr<std::string> group(StringRef letters, int64_t count) {
    std::string result;
    bool ellipsis = false;
    for (size_t i = 0; i < letters.size(); ++i) {
      if (letters.substr(i).starts_with("...")) {
        if (ellipsis)
          return rule.error("the group '" + letters + "' of \"" + text + "\" has '...' twice");
        ellipsis = true;
        i += 2;
        for (int64_t d = count - 1; d >= 0; --d)
          result.push_back(char('0' + d));
      } else if (llvm::isAlpha(letters[i])) {
        result.push_back(letters[i]);
      } else {
        return rule.error("'" + letters.substr(i, 1) + "' in \"" + text +
                          "\" is neither a letter nor '...'");
      }
    }
    return result;
  }

  FailureOr<std::string> input(StringRef letters, RankedTensorType type, size_t number) {
    if (failed(group(letters, 0)))
      return failure();
    int64_t named = llvm::count_if(letters, llvm::isAlpha);
    bool ellipsis = letters.contains("...");
    int64_t covered = ellipsis ? type.getRank() - named : 0;
    if (covered < 0 || (!ellipsis && named != type.getRank()))
      return rule.error("the group '" + letters + "' of \"" + text + "\" names " + Twine(named) +
                        " dimensions; operand " + Twine(number) + " is " + shapeText(type));
    if (covered > 10)
      return rule.error("'...' stands for at most 10 dimensions, found " + Twine(covered) +
                        " in operand " + Twine(number) + " " + shapeText(type));
    broadcast = std::max(broadcast, covered);
    return group(letters, covered);
  }

  /// The letters that stand once in the operands, in order, behind the dimensions of `...`.
  std::string implicitOutput(ArrayRef<std::string> inputs) {
    std::string all, once;
    for (const std::string &input : inputs)
      all += input;
    for (int64_t d = broadcast - 1; d >= 0; --d)
      once.push_back(char('0' + d));
    std::string letters = all;
    std::sort(letters.begin(), letters.end());
    for (char letter : letters)
      if (!EinsumEquation::isBroadcast(letter) && std::count(all.begin(), all.end(), letter) == 1)
        once.push_back(letter);
    return once;
  }

  LogicalResult checkOutput(const EinsumEquation &equation) {
    for (auto [i, letter] : llvm::enumerate(equation.output)) {
      if (equation.output.find(letter, i + 1) != std::string::npos)
        return rule.error("the result of \"" + text + "\" names '" + Twine(letter) + "' twice");
      if (llvm::none_of(equation.inputs, [letter = letter](const std::string &input) {
            return input.find(letter) != std::string::npos;
          }))
        return rule.error("the result of \"" + text + "\" names '" + Twine(letter) +
                          "', which no operand has");
    }
    return success();
  }

  const Rule &rule;
  StringRef text;
  int64_t broadcast = 0;
};

} // namespace

FailureOr<EinsumEquation> parseEquation(const Rule &rule, StringRef text,
                                        ArrayRef<RankedTensorType> operands) {
  std::string plain = text.str();
  plain.erase(std::remove(plain.begin(), plain.end(), ' '), plain.end());
  StringRef left(plain), right;
  size_t arrow = left.find("->");
  if (arrow != StringRef::npos) {
    right = left.substr(arrow + 2);
    left = left.take_front(arrow);
  }
  SmallVector<StringRef> groups;
  left.split(groups, ',');
  if (groups.size() != operands.size())
    return rule.error("\"" + text + "\" has " + Twine(groups.size()) +
                      " groups of letters, the op has " + Twine(operands.size()) + " operands");
  Reader reader(rule, text);
  EinsumEquation equation;
  for (auto [i, letters, type] : llvm::enumerate(groups, operands)) {
    FailureOr<std::string> input = reader.input(letters, type, i);
    if (failed(input))
      return failure();
    equation.inputs.push_back(*input);
  }
  if (arrow == StringRef::npos) {
    equation.output = reader.implicitOutput(equation.inputs);
    return equation;
  }
  FailureOr<std::string> output = reader.group(right, reader.broadcast);
  if (failed(output))
    return failure();
  equation.output = *output;
  if (reader.broadcast > 0 && !right.contains("..."))
    return rule.error("the operands of \"" + text +
                      "\" have dimensions under '...', the result doesn't");
  if (failed(reader.checkOutput(equation)))
    return failure();
  return equation;
}

} // namespace relax::ir
