"""The include checker finds what it must in small bad trees, and nothing in a good one."""

import tempfile
import unittest
from pathlib import Path

import include_rules

TABLE = """# Architecture

| word | means | other |
|---|---|---|
| not | this | one |

| folder | holds | may include |
|---|---|---|
| `core/base` | errors | - |
| `core/isa` | targets | base |
| `gen` | variants | core |
| `analysis/sass` | census | base, isa |
| `bench` | device | core |
| `app` | commands | all but bench |

| after | the | table |
"""

GOOD = {
    "docs/architecture.md": TABLE,
    "core/base/error.h": "#include <string>\n",
    "core/isa/version.h": '#include "core/base/error.h"\n',
    "core/isa/version.cpp": '#include "core/isa/version.h"\n',
    "gen/kernel.h": '#include "core/isa/version.h"\n',
    "analysis/sass/gate.h": '#include "core/isa/version.h"\n',
    "bench/driver/cuda.cpp": '#include <cuda.h>\n#include "core/base/error.h"\n',
    "bench/driver/load.cpp": "#include <cuda.h>\n",
    "bench/capture/hooks.cpp": "#include <cuda.h>\n",
    "bench/main.cpp": "#include <benchmark/benchmark.h>\n",
    "app/main.cpp": '#include "analysis/sass/gate.h"\n#include "gen/kernel.h"\n',
}

# What is added to the good tree, and the whole of what the checker must then say.
BAD = [
    ({"core/base/bad.h": '#include <map>\n\n#include "core/isa/version.h"\n'},
     ['core/base/bad.h:3: core/base may not include "core/isa/version.h"'
      " (core/base may include: -)"]),
    ({"gen/bad.cpp": '#include "analysis/sass/gate.h"\n'},
     ['gen/bad.cpp:1: gen may not include "analysis/sass/gate.h" (gen may include: core)']),
    ({"app/bad.cpp": '#include "bench/device.h"\n', "bench/device.h": "\n"},
     ['app/bad.cpp:1: app may not include "bench/device.h" (app may include: all but bench)']),
    ({"bench/bad.cpp": '#  include "app/options.h"\n', "app/options.h": "\n"},
     ['bench/bad.cpp:1: bench may not include "app/options.h" (bench may include: core)']),
    ({"gen/bad.cpp": '#include "render.h"\n'},
     ['gen/bad.cpp:1: "render.h" is no file of the tree; includes are written from the root']),
    ({"analysis/new/a.h": '#include "core/base/error.h"\n'},
     ["analysis/new/a.h:1: its folder is not in the table"]),
    ({"gen/bad.cpp": "#include <cuda.h>\n"},
     ["gen/bad.cpp:1: cuda.h may be included in one folder of bench alone"]),
    ({"bench/measure/bad.cpp": "#include <cuda.h>\n"},
     [f"{place}: cuda.h is included in 2 folders: bench/driver, bench/measure"
      for place in ("bench/driver/cuda.cpp:1", "bench/driver/load.cpp:1",
                    "bench/measure/bad.cpp:1")]),
    ({"bench/bad.cpp": "#include <benchmark/benchmark.h>\n"},
     [f"{place}:1: benchmark.h is included in 2 files: bench/bad.cpp, bench/main.cpp"
      for place in ("bench/bad.cpp", "bench/main.cpp")]),
    ({"app/bad.cpp": "#include <benchmark/benchmark.h>\n"},
     ["app/bad.cpp:1: benchmark.h may be included in one file of bench alone"]),
    ({"gen/bad.cpp": "#include <llvm/IR/IRBuilder.h>\n"},
     ["gen/bad.cpp:1: LLVM may be included in gen/llvm_program alone"]),
    ({"docs/architecture.md": "no table\n"},
     ["docs/architecture.md: no table with the columns folder, holds, may include"]),
]


def check_tree(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        return include_rules.check(Path(folder))


class IncludeRules(unittest.TestCase):
    def test_good_tree(self):
        self.assertEqual(check_tree(GOOD), [])

    def test_bad_trees(self):
        for added, expected in BAD:
            with self.subTest(added=added):
                self.assertEqual(check_tree({**GOOD, **added}), expected)

    def test_a_word_that_is_no_row_is_a_mistake_in_the_table(self):
        with self.assertRaisesRegex(ValueError, "the table names 'bse', which is no row of it"):
            check_tree({**GOOD, "docs/architecture.md": TABLE.replace("| base |", "| bse |")})

    def test_an_empty_tree_is_not_a_good_one(self):
        found = check_tree({"docs/architecture.md": TABLE})
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0], "no source files in core, gen, analysis, join, bench, app$")


if __name__ == "__main__":
    unittest.main()
