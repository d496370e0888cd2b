//===- MathPrograms.h - programs that apply one op to each element of a vector ----------------===//
#pragma once

#include <string>
#include <vector>

namespace relax::test {

/// y[i] = body of the arguments' elements: `inputs` names their element types.
inline std::string vectorProgram(const std::vector<std::string> &inputs, const std::string &result,
                                 const std::string &body) {
  auto type = [](const std::string &element) {
    return "tensor<?x" + element + ", #relax.shape<[s0]>>";
  };
  std::string arguments, names, types, maps, parameters;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string separator = i ? ", " : "", number = std::to_string(i);
    arguments += separator + "%x" + number + ": " + type(inputs[i]);
    names += separator + "%x" + number;
    types += separator + type(inputs[i]);
    maps += "affine_map<(i) -> (i)>, ";
    parameters += "%a" + number + ": " + inputs[i] + ", ";
  }
  return "func.func private @k(" + arguments + ") -> " + type(result) +
         " attributes {relax.kernel, relax.kernel_symbols = [\"s0\"]} {\n"
         "%n = relax.symbol_value #relax.expr<s0>\n%e = tensor.empty(%n) : " +
         type(result) + "\n%y = linalg.generic {indexing_maps = [" + maps +
         "affine_map<(i) -> (i)>], iterator_types = [\"parallel\"]} ins(" + names + " : " + types +
         ") outs(%e : " + type(result) + ") {\n^bb0(" + parameters + "%o: " + result + "):\n" +
         body + "\nlinalg.yield %v : " + result + " } -> " + type(result) +
         "\nreturn %y : " + type(result) + "\n}\n";
}

inline std::string unaryProgram(const std::string &op, const std::string &element) {
  return vectorProgram({element}, element, "%v = " + op + " %a0 : " + element);
}
inline std::string binaryProgram(const std::string &op, const std::string &element) {
  return vectorProgram({element, element}, element, "%v = " + op + " %a0, %a1 : " + element);
}
inline std::string conversionProgram(const std::string &op, const std::string &from,
                                     const std::string &to) {
  return vectorProgram({from}, to, "%v = " + op + " %a0 : " + from + " to " + to);
}

} // namespace relax::test
