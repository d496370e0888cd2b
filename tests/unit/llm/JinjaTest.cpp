#include "llm/jinja/Template.h"

#include <gtest/gtest.h>

namespace relax::llm::jinja {
namespace {

Dict variables() {
  Dict user, assistant, tool, function, dict;
  user.set("role", Value::string("user"));
  user.set("content", Value::string("Hi"));
  assistant.set("role", Value::string("assistant"));
  assistant.set("content", Value::string(" Hello "));
  function.set("name", Value::string("f<\u00e9>"));
  function.set("strict", Value::boolean(true));
  function.set("none", Value::none());
  function.set("numbers", Value::list({Value::integer(1), Value::number(2)}));
  dict.set("z", Value::integer(1));
  dict.set("a", Value::integer(2));
  Dict all;
  all.set("messages", Value::list({Value::dict(user), Value::dict(assistant)}));
  all.set("function", Value::dict(function));
  all.set("d", Value::dict(dict));
  all.set("n", Value::integer(3));
  all.set("text", Value::string("H\u00e9llo World"));
  return all;
}

std::string render(std::string_view source) {
  const auto parsed = Template::parse(source);
  if (!parsed)
    return "parse error: " + parsed.status().message();
  auto text = parsed->render(variables());
  return text ? *text : "error: " + text.status().message();
}

struct Case {
  const char *source, *expected;
};

void check(std::initializer_list<Case> cases) {
  for (const Case &one : cases)
    EXPECT_EQ(render(one.source), one.expected) << one.source;
}

TEST(Jinja, Expressions) {
  check({
      {"{{ 1 + 2 * 3 - 4 }}", "3"},
      {"{{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 2 ** 10 }}",
       "3 -4 1 2 3.5 1024"},
      {"{{ 1 ~ 2 ~ 'x' }}", "12x"},
      {"{{ 'a' + 'b' }} {{ [1] + [2] }} {{ 'ab' * 2 }}", "ab [1, 2] abab"},
      {"{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 'a' == 'a' }} {{ 1 == 1.0 }} {{ 1 != 2 }}",
       "True False True True True"},
      {"{{ 'ell' in 'hello' }} {{ 1 in [1, 2] }} {{ 'z' in d }} {{ 'q' not in d }}",
       "True True True True"},
      {"{{ not true or true and false }}", "False"},
      {"{{ none or 'x' }} {{ '' or 'y' }} {{ 'a' and 'b' }}", "x y b"},
      {"{{ 'yes' if n > 2 else 'no' }}{{ 'gone' if false }}", "yes"},
      {"{{ true }} {{ none }} {{ 1.0 }} {{ 1e20 }} {{ [1, 'a', none] }} {{ {'k': 1} }}",
       "True None 1.0 1e+20 [1, 'a', None] {'k': 1}"},
      {"{{ -n }} {{ - 2 + 5 }} {{ -1|abs }}", "-3 3 1"},
      {"{{ (1, 2) }} {{ () }}", "[1, 2] []"},
      {"{{ 'it''s' }} {{ 'a\\n\\x41\\u00e9' }}", "its a\nA\u00e9"},
      {"{{ missing }}|{{ messages[9] }}|{{ d.missing }}", "||"},
  });
}

TEST(Jinja, ItemsAndSlices) {
  check({
      {"{{ messages[0].role }} {{ messages[-1]['role'] }} {{ messages[0]['content'] }}",
       "user assistant Hi"},
      {"{{ text[1] }} {{ text[-1] }} {{ text[1:3] }} {{ text[::-1] }} {{ text[:-6] }}",
       "\u00e9 d \u00e9l dlroW oll\u00e9H H\u00e9llo"},
      {"{{ [1, 2, 3, 4][1:] }} {{ [1, 2, 3, 4][::2] }} {{ [1, 2, 3][5:] }} {{ [1, 2, 3][-2:] }}",
       "[2, 3, 4] [1, 3] [] [2, 3]"},
      {"{{ messages[1:][0].role }}", "assistant"},
  });
}

TEST(Jinja, Filters) {
  check({
      {"{{ ' a ' | trim }}|{{ 'xax' | trim('x') }}", "a|a"},
      {"{{ text | upper }} {{ text | lower }} {{ text | length }}",
       "H\u00c9LLO WORLD h\u00e9llo world 11"},
      {"{{ 'hELLO wORLD' | capitalize }} {{ 'hELLO wORLD' | title }}", "Hello world Hello World"},
      {"{{ [1, 2] | join(', ') }} {{ messages | map(attribute='role') | join('-') }}",
       "1, 2 user-assistant"},
      {"{{ missing | default('x') }} {{ '' | default('y', true) }} {{ '' | d('z') }}", "x y "},
      {"{{ [3, 1, 2] | first }} {{ [3, 1, 2] | last }} {{ [3, 1, 2] | sort }} {{ 'abc' | first }}",
       "3 2 [1, 2, 3] a"},
      {"{{ [3, 1, 2] | sort(reverse=true) }} {{ [1, 2] | reverse | list }}", "[3, 2, 1] [2, 1]"},
      {"{{ 'a-b' | replace('-', '+') }} {{ '12' | int + 1 }} {{ '1.5' | float }}", "a+b 13 1.5"},
      {"{% for k, v in d | items %}{{ k }}{{ v }}{% endfor %}", "z1a2"},
      {"{% for k, v in d | dictsort %}{{ k }}{{ v }}{% endfor %}", "a2z1"},
      {"{{ messages | selectattr('role', 'equalto', 'user') | list | length }}", "1"},
      {"{{ messages | rejectattr('role', '==', 'user') | map(attribute='content') | first }}",
       " Hello "},
      {"{{ [1, none, 2] | select | list }} {{ [1, 2, 3] | reject('odd') | list }}", "[1, 2] [2]"},
      {"{{ [1, 2, 2, 1] | unique | list }} {{ [1, 2, 3] | sum }} {{ [1, 3, 2] | max }}",
       "[1, 2] 6 3"},
      {"{{ 'a\nb' | indent(2) }}", "a\n  b"},
      {"{{ '<a>' | escape }} {{ '<a>' | safe }}", "&lt;a&gt; <a>"},
      {"{{ 2.5 | round }} {{ 3.14159 | round(2) }} {{ -3 | abs }}", "2.0 3.14 3"},
      {"{{ ['a', 'b'] | map('upper') | join }}", "AB"},
  });
}

TEST(Jinja, ToJson) {
  check({
      {"{{ function | tojson }}",
       "{\"name\": \"f<\u00e9>\", \"strict\": true, \"none\": null, \"numbers\": [1, 2.0]}"},
      {"{{ d | tojson(indent=2) }}", "{\n  \"z\": 1,\n  \"a\": 2\n}"},
      {"{{ 'a\"\\n\\x01' | tojson }} {{ [] | tojson }} {{ {} | tojson }}",
       "\"a\\\"\\n\\u0001\" [] {}"},
  });
}

TEST(Jinja, TestsOfValues) {
  check({
      {"{{ x is defined }} {{ n is defined }} {{ x is not defined }} {{ x is undefined }}",
       "False True True True"},
      {"{{ none is none }} {{ 'a' is string }} {{ d is mapping }} {{ d is iterable }}",
       "True True True True"},
      {"{{ [1] is sequence }} {{ 1 is number }} {{ 1.5 is float }} {{ true is boolean }}",
       "True True True True"},
      {"{{ n is odd }} {{ n is divisibleby 3 }} {{ n is eq(3) }} {{ n in [3] }}",
       "True True True True"},
      {"{{ 1 is number and 'a' is not number }}", "True"},
      {"{% if messages[0].content is string and n is defined %}ok{% endif %}", "ok"},
  });
}

TEST(Jinja, Methods) {
  check({
      {"{{ '  a b '.strip() }}|{{ 'xax'.lstrip('x') }}|{{ 'a  '.rstrip() }}|", "a b|ax|a|"},
      {"{{ 'a,b,c'.split(',') }} {{ ' a  b '.split() }} {{ 'a,b,c'.split(',', 1) }}",
       "['a', 'b', 'c'] ['a', 'b'] ['a', 'b,c']"},
      {"{{ 'a,b,c'.rsplit(',', 1) }} {{ 'a\nb'.splitlines() }}", "['a,b', 'c'] ['a', 'b']"},
      {"{{ 'abc'.startswith('a') }} {{ 'abc'.endswith(('x', 'c')) }}", "True True"},
      {"{{ 'abc'.upper() }} {{ 'a-a'.replace('a', 'b') }} {{ 'abc'.find('c') }}", "ABC b-b 2"},
      {"{{ '<think>a</think>b'.split('</think>')[-1] }}", "b"},
      {"{{ d.get('z') }} {{ d.get('q') }} {{ d.get('q', 5) }} {{ d.keys() | list }}",
       "1 None 5 ['z', 'a']"},
      {"{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}", "z=1;a=2;"},
      {"{{ ', '.join(['a', 'b']) }} {{ '12'.isdigit() }} {{ 'prefix-x'.removeprefix('prefix-') }}",
       "a, b True x"},
  });
}

TEST(Jinja, Loops) {
  check({
      {"{% for m in messages %}{{ loop.index }}{{ loop.index0 }}{{ loop.first }}{{ loop.last }};"
       "{% endfor %}",
       "10TrueFalse;21FalseTrue;"},
      {"{% for x in [] %}x{% else %}none{% endfor %}", "none"},
      {"{% for x in [1, 2, 3, 4] if x is even %}{{ x }}{{ loop.length }}{% endfor %}", "2242"},
      {"{% for x in range(5) %}{% if x == 1 %}{% continue %}{% endif %}{% if x == 3 %}{% break %}"
       "{% endif %}{{ x }}{% endfor %}",
       "02"},
      {"{% for a, b in [[1, 2], [3, 4]] %}{{ a + b }} {% endfor %}", "3 7 "},
      {"{% for c in 'h\u00e9' %}[{{ c }}]{% endfor %}", "[h][\u00e9]"},
      {"{% for x in range(3) %}{{ loop.previtem }}{{ loop.nextitem }} {% endfor %}", "1 02 1 "},
      {"{{ range(1, 10, 3) | list }} {{ range(3, 0, -1) | list }}", "[1, 4, 7] [3, 2, 1]"},
  });
}

TEST(Jinja, Scopes) {
  check({
      {"{% set x = 1 %}{% for i in [1] %}{% set x = 2 %}{% endfor %}{{ x }}", "1"},
      {"{% set x = 1 %}{% if true %}{% set x = 2 %}{% endif %}{{ x }}", "2"},
      {"{% set ns = namespace(a=1) %}{% for i in [1] %}{% set ns.a = ns.a + 1 %}{% endfor %}"
       "{{ ns.a }}",
       "2"},
      {"{% set a, b = 1, 2 %}{{ a }}{{ b }}", "12"},
      {"{% set x %}body {{ n }}{% endset %}[{{ x }}]", "[body 3]"},
      {"{% macro f(a, b='B') %}{{ a }}{{ b }}{{ n }}{% endmacro %}{{ f(1) }} {{ f(1, b=2) }}",
       "1B3 123"},
  });
}

TEST(Jinja, WhiteSpace) {
  check({
      {"a\n  {% if true %}\n  b\n  {% endif %}\nc\n", "a\n  b\nc"},
      {"a  {%- if true -%}  b  {%- endif -%}  c", "abc"},
      {"a {{- ' x ' -}} b", "a x b"},
      {"  {{ 1 }}\n\n", "  1\n"},
      {"x {# comment #}\ny", "x y"},
      {"  {# c #}\ny", "y"},
      {"a\n  {%+ if true %}b{% endif %}", "a\n  b"},
      {"{% if true +%}\nb{% endif %}", "\nb"},
      {"a\r\n{% if true %}\r\nb{% endif %}", "a\nb"},
      {"{% raw %}{{ x }} {% if %}{% endraw %}!", "{{ x }} {% if %}!"},
      {"x {% if true %}y{% endif %} z", "x y z"},
      {"", ""},
      {"{", "{"},
      {"{ {", "{ {"},
  });
}

/// Errors name the line and what is wrong.
TEST(Jinja, Errors) {
  const Case cases[] = {
      {"a\n{% if x %}\nb", "line 3"},
      {"{{ 1 + }}", "expected an expression"},
      {"\n\n{{ x", "line 3"},
      {"{% foo %}", "found 'foo'"},
      {"{% endif %}", "found 'endif'"},
      {"{% for x in y %}{% endif %}", "'for' of line 1"},
      {"{{ 'a }}", "not closed"},
      {"{# a", "not closed"},
      {"{{ [1 }}", "unexpected '}'"},
      {"\n{{ missing.x }}", "line 2: 'missing' is undefined"},
      {"{{ missing() }}", "'missing' is undefined"},
      {"{{ 1 / 0 }}", "division by zero"},
      {"{{ 'a' + 1 }}", "cannot combine string and integer"},
      {"{{ 9223372036854775807 + 1 }}", "64 bits"},
      {"{{ 99999999999999999999 }}", "out of range"},
      {"{{ x | nofilter }}", "no filter 'nofilter'"},
      {"{{ 1 is notest }}", "no test 'notest'"},
      {"{{ 'a'.nomethod() }}", "no method 'nomethod'"},
      {"\n{{ raise_exception('roles must alternate') }}", "line 2: roles must alternate"},
      {"{% set x.y = 1 %}", "expected a namespace"},
      {"{% break %}", "outside of a loop"},
      {"{{ 'x' | replace('', 'y') }}", "empty"},
      {"{{ range(1, 2, 0) }}", "step is 0"},
      {"{% for a, b in [1] %}{% endfor %}", "cannot unpack"},
      {"{{ 1 @ 2 }}", "unexpected character '@'"},
      {"{{ '\\xzz' }}", "hexadecimal"},
  };
  for (const Case &one : cases) {
    const std::string text = render(one.source);
    EXPECT_NE(text.find("error: chat template, line "), std::string::npos) << one.source << text;
    EXPECT_NE(text.find(one.expected), std::string::npos) << one.source << "\n" << text;
  }
}

/// Templates made to take for ever, or all memory, or the whole stack, end in an error.
TEST(Jinja, HostileTemplatesEnd) {
  const std::string deep(100000, '('), nots = [] {
    std::string text;
    for (int i = 0; i < 100000; ++i)
      text += "not ";
    return text;
  }();
  std::string sum = "1", ifs;
  for (int i = 0; i < 100000; ++i)
    sum += "+1";
  for (int i = 0; i < 10000; ++i)
    ifs += "{% if true %}";
  for (const std::string &source : {
           "{{ " + deep + " }}",
           "{{ " + deep + "1" + std::string(100000, ')') + " }}",
           "{{ " + std::string(100000, '[') + std::string(100000, ']') + " }}",
           "{{ " + nots + "1 }}",
           "{{ " + std::string(100000, '-') + "1 }}",
           "{{ " + sum + " }}",
           ifs,
           std::string("{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}"
                       "{% endfor %}"),
           std::string("{{ range(1000000000000) }}"),
           std::string("{{ 'x' * 1000000000000 }}"),
           std::string("{% set ns = namespace(x='xxxxxxxx') %}{% for i in range(100) %}"
                       "{% set ns.x = ns.x + ns.x %}{% endfor %}"),
           std::string("{% set ns = namespace(x=[1]) %}{% for i in range(1000) %}"
                       "{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}"),
           std::string("{% set ns = namespace(x=[1]) %}{% for i in range(100000) %}"
                       "{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}"),
           std::string("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"),
           std::string("{{ ('a' * 100000) | replace('a', 'b' * 100000) }}"),
           std::string("{% for i in range(1000000) %}{{ 'x' * 1000 }}{% endfor %}"),
       }) {
    const std::string text = render(source);
    EXPECT_NE(text.find("error: "), std::string::npos) << source.substr(0, 100);
  }
}

TEST(Jinja, AnyPrefixOfATemplateIsHandled) {
  const std::string source =
      "{%- macro f(a, b='x') -%}{{ a[1:]|join(', ') ~ b }}{%- endmacro -%}{# c #}"
      "{% for m in messages if m.role is defined and not false %}{% set ns = namespace(k={'a': [1, "
      "2.5e3]}) %}{{ 'q\\x41' if loop.first else f('ab', b=\"c\") }}{% elif %}{% endfor %}"
      "{% raw %}{{{% endraw %}";
  for (size_t length = 0; length <= source.size(); ++length) {
    const std::string text = render(source.substr(0, length));
    EXPECT_TRUE(text.find("error") == std::string::npos || text.find("line 1") != std::string::npos)
        << source.substr(0, length) << "\n"
        << text;
  }
}

} // namespace
} // namespace relax::llm::jinja
