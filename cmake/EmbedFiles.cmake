# Writes the bytes of text files into a C++ file, so that a program carries them:
#
#   cmake -DOUTPUT=out.cpp -DNAMESPACE=a::b "-DFILES=page.html|style.css" -DFOLDER=dir -P EmbedFiles.cmake
#
# `page.html` becomes `extern const std::string_view page_html`.
set(text "#include <string_view>\nnamespace ${NAMESPACE} {\n")
string(REPLACE "|" ";" FILES "${FILES}")
foreach(file ${FILES})
  file(READ "${FOLDER}/${file}" hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(MAKE_C_IDENTIFIER "${file}" name)
  string(APPEND text "static const unsigned char ${name}_bytes[] = {\n${bytes}0};\n"
    "extern const std::string_view ${name};\n"
    "const std::string_view ${name}(reinterpret_cast<const char *>(${name}_bytes), sizeof ${name}_bytes - 1);\n")
endforeach()
string(APPEND text "} // namespace ${NAMESPACE}\n")
file(WRITE "${OUTPUT}" "${text}")
