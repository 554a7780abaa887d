"""own_includes.py sees what is missing, and nothing else."""

import unittest

from own_includes import Sources

HEADER = """#pragma once
#include <string>
namespace phasebit {
struct Row {
  struct Cell { int at; };
  std::string name;
};
}
"""
SOURCE = """#include "core/row.h"

#include <vector>

using base::Home;

// std::map is only spoken of here, and a Table too.
std::vector<Row> rows(const Home& home, const Row::Cell& cell, const std::string& text) {
  return {{"std::map<Table>"}};
}
"""


def violations(source, **headers):
    texts = {"core/row.h": HEADER, "core/table.h": "struct Table { int rows; };\n",
             "core/home.h": "class Home {\n};\n", "core/rows.cpp": source, **headers}
    return Sources(texts).violations("core/rows.cpp")


class OwnIncludes(unittest.TestCase):
    def test_what_is_included_passes(self):
        self.assertEqual(violations('#include "core/home.h"\n' + SOURCE), [])

    def test_a_header_of_the_library_is_missed(self):
        self.assertEqual(violations("std::map<int, int> all;\n"),
                         ["core/rows.cpp: std::map without <map>"])

    def test_one_that_an_own_header_includes_is_not(self):
        self.assertEqual(violations('#include "core/row.h"\nstd::string text;\n'), [])

    def test_a_type_of_one_header_is_missed(self):
        self.assertEqual(violations("Table table;\n"),
                         ['core/rows.cpp: Table without "core/table.h"'])

    def test_one_declared_in_two_or_here_is_not(self):
        self.assertEqual(violations("class Table;\nvoid print(const Table& table);\n"), [])
        self.assertEqual(violations("template <typename Table> void print(const Table& table);\n"),
                         [])
        self.assertEqual(violations("Table table;\n", **{"gen/t.h": "struct Table { int x; };\n"}),
                         [])

    def test_a_function_of_one_header_is_missed(self):
        header = {"core/total.h": "#include <vector>\nint total(const std::vector<int>& all);\n"}
        self.assertEqual(violations("int x = total({});\n", **header),
                         ['core/rows.cpp: total without "core/total.h"'])
        for other in ("int x = it.total();\n", "int x = std::total(1);\n",
                      "int total(int y) { return y; }\nint x = total(1);\n"):
            self.assertEqual(violations(other, **header), [], other)

    def test_names_of_llvm_are_its_own(self):
        self.assertEqual(violations("#include <llvm/IR/Table.h>\nllvm::Table table;\n"), [])

    def test_a_using_declaration_has_a_use(self):
        self.assertEqual(violations('#include "core/home.h"\nusing base::Home;\n'),
                         ["core/rows.cpp: `using base::Home` that nothing uses"])


if __name__ == "__main__":
    unittest.main()
