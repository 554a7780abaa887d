"""The size check finds the functions that a reader would, and refuses what is too long."""

import unittest

import sizes

# What a finder by braces takes for the end or the beginning of a function.
CPP = """namespace a {
struct Row {
  explicit Row(int y)
      : x{y} {
    x++;
  }
  int x = 0;
};
constexpr const char* text = R"(void not_a_function() {)";
int table() {
  const auto lambda = [&] {
    return '{' + 1'000;
  };
  return lambda();
}
TEST(Suite, name) {
  EXPECT_TRUE(true);
}
}  // namespace a
"""

FUNCTIONS = [("Row", 3, 6), ("table", 10, 15), ("TEST", 16, 18)]


def body(lines):
    return "".join(f"  step({n});\n" for n in range(lines))


class Sizes(unittest.TestCase):
    def test_cpp_functions(self):
        self.assertEqual(list(sizes.lizard_functions("a.cpp", CPP)), FUNCTIONS)

    def test_shell_functions(self):
        self.assertEqual(list(sizes.shell_functions("a", "x=1\nsay() {\n  echo\n}\n")),
                         [("say", 2, 4)])

    def test_a_function_of_60_lines_passes_and_one_of_61_does_not(self):
        self.assertEqual(sizes.check_text("a.cpp", f"void f() {{\n{body(58)}}}\n"), [])
        self.assertEqual(sizes.check_text("a.cpp", f"\nvoid f() {{\n{body(59)}}}\n"),
                         ["a.cpp:2: f has 61 lines, at most 60"])
        self.assertEqual(sizes.check_text("a.py", "def f():\n" + "    x = 1\n" * 60),
                         ["a.py:1: f has 61 lines, at most 60"])
        self.assertEqual(sizes.check_text("tools/do", f"#!/bin/bash\nf() {{\n{body(59)}}}\n"),
                         ["tools/do:2: f has 61 lines, at most 60"])

    def test_a_file_of_600_lines_passes_and_one_of_601_does_not(self):
        self.assertEqual(sizes.check_text("a.h", "int x;\n" * 600), [])
        self.assertEqual(sizes.check_text("a.h", "int x;\n" * 601),
                         ["a.h:601: 601 lines, at most 600"])

    def test_a_line_of_100_columns_passes_and_one_of_101_does_not(self):
        self.assertEqual(sizes.check_text("meson.build", "x" * 100), [])
        self.assertEqual(sizes.check_text("meson.build", "\n" + "x" * 101),
                         ["meson.build:2: 101 columns, at most 100"])

    def test_other_files_have_no_limits(self):
        self.assertEqual(sizes.check_text("README.md", "x" * 101 + "\n" * 400), [])


if __name__ == "__main__":
    unittest.main()
