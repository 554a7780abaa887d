"""The namespace checker finds what it must in small trees, and nothing in a good one."""

import unittest

import namespaces
from small_tree import TreeTest


def block(name, body="int a;\n"):
    return f"namespace {name} {{\n{body}}}  // namespace {name}\n"


GOOD = {
    "core/base/error.h": block("phasebit::base") + block(
        "phasebit", "// Words.\nusing base::Error;\nnamespace fs = std::filesystem;\n"),
    "core/base/pch/phasebit.h": "#include <string>\n",
    "gen/kernel/names.cpp": block("phasebit::kernel", "namespace {\n}\n"),
    "gen/reduce/reduce.h": block("phasebit::reduce"),
    "join/reduce/reduce.h": block("phasebit::reduce", "\nclass Trial;\n") + block(
        "phasebit::join::reduce"),
    "app/sass/show.cpp": block("phasebit::app"),
    "bench/device/device.h": block("phasebit::bench::device"),
    "tests/core/error_test.cpp": block("phasebit::test", "using namespace std::literals;\n"),
    "tests/independent/plan.h": block("independent"),
    "tests/fuzz/reader.cpp": "void read() {\n  using namespace phasebit;\n}\n",
}

BAD = [
    ({"gen/kernel/a.cpp": "\n" + block("phasebit")},
     ["gen/kernel/a.cpp:2: namespace phasebit; the folder's is phasebit::kernel",
      "gen/kernel/a.cpp: nothing in phasebit::kernel, its folder's namespace"]),
    # Of another room only what is declared ahead.
    ({"gen/kernel/a.cpp": block("phasebit::kernel") + block("phasebit::reduce", "struct A {};\n")},
     ["gen/kernel/a.cpp:4: namespace phasebit::reduce; the folder's is phasebit::kernel"]),
    # Only core/base lends words, and not with a definition among them.
    ({"core/isa/a.h": block("phasebit::isa") + block("phasebit", "using isa::Version;\n")},
     ["core/isa/a.h:4: namespace phasebit; the folder's is phasebit::isa"]),
    ({"core/base/a.h": block("phasebit::base") + block("phasebit", "int b;\n")},
     ["core/base/a.h:4: namespace phasebit; the folder's is phasebit::base"]),
    ({"core/isa/a.h": block("phasebit::isa", "using namespace std;\n")},
     ["core/isa/a.h: using namespace in a header opens it to everybody who includes it"]),
    # A closing comment of another name hides nothing.
    ({"core/isa/a.h": "namespace other {\nint a;\n}\n" + block("phasebit::isa")},
     ["core/isa/a.h:1: namespace other; the folder's is phasebit::isa"]),
    ({"analysis/reduce/a.h": block("phasebit::reduce")},
     ["phasebit::reduce is the namespace of analysis/reduce and gen/reduce"]),
]


class NamespacesTest(TreeTest):
    def checked(self, tree):
        return self.problems(namespaces.check, tree)

    def test_good(self):
        self.assertEqual(self.checked(GOOD), [])

    def test_bad(self):
        for added, expected in BAD:
            with self.subTest(expected=expected):
                self.assertEqual(self.checked(GOOD | added), expected)

    def test_empty_tree_is_no_success(self):
        self.assertEqual(len(self.checked({"README.md": ""})), 1)


if __name__ == "__main__":
    unittest.main()
