"""The room checker finds a circle and a full room in small trees, and nothing in a good one."""

import unittest

import rooms
from small_tree import TreeTest

GOOD = {
    "core/base/error.h": "#include <string>\n",
    "core/base/error.cpp": '#include "core/base/error.h"\n',
    "core/isa/version.h": '#include "core/base/error.h"\n',
    "gen/kernel/render.cpp": '#include "core/isa/version.h"\n#include "core/isa/table.csv.inc"\n',
}

BAD = [
    # Through the .cpp of one of them: a header and its source are one node.
    ({"core/base/file.h": '#include "core/base/hash.h"\n', "core/base/hash.h": "\n",
      "core/base/hash.cpp": '#include "core/base/file.h"\n'},
     ["files in a circle: core/base/file -> core/base/hash -> core/base/file"]),
    # Between rooms without a circle of files.
    ({"gen/a/one.h": '#include "gen/b/two.h"\n', "gen/b/two.h": "\n",
      "gen/b/three.h": '#include "gen/a/four.h"\n', "gen/a/four.h": "\n"},
     ["rooms in a circle: gen/a -> gen/b -> gen/a"]),
    ({f"app/f{i}.cpp": "\n" for i in range(41)}, ["app: 41 files; a room has at most 40"]),
]


class RoomsTest(TreeTest):
    def checked(self, tree):
        return self.problems(rooms.check, tree)

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
