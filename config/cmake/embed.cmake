# Turns the file IN into OUT, a C++ file that defines the string_view
# toolhost::SYMBOL. In pieces, because some compilers take no longer ones; that
# the whole is longer than the standard promises does not matter to ours.
file(READ ${IN} text)
string(LENGTH "${text}" length)
set(parts "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} 12000 part)
  string(APPEND parts "R\"__embed__(${part})__embed__\"\n")
  math(EXPR at "${at} + 12000")
endwhile()
file(WRITE ${OUT} "#include <string_view>\n\
#pragma GCC diagnostic ignored \"-Woverlength-strings\"\nnamespace toolhost {\n\
extern const std::string_view ${SYMBOL};\n\
const std::string_view ${SYMBOL} = ${parts};\n}\n")
