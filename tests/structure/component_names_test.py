"""Tests component_names.py."""

import unittest

import component_names

NAMES = {"st_shared", "mbarrier"}


class ComponentNames(unittest.TestCase):
    def test_what_is_a_name(self):
        for text, expected in [
                ('where = {{"mover", "st_shared"}};', [(1, "st_shared")]),
                ('int a;\nis("ring/mbarrier/none");', [(2, "mbarrier")]),
                ('f("say \\"no\\"", "mbarrier")', [(1, "mbarrier")]),
                ('url("http://x", "mbarrier")', [(1, "mbarrier")]),
                ('// like "st_shared"\n/* "mbarrier"\n*/', []),
                ('is(statement, "mbarrier.test_wait")', []),
                ('opcodes = "max mbarrier membar"', []),
                ('name = "st_shared_copy"; st_shared();', []),
        ]:
            self.assertEqual(list(component_names.names_in(text, NAMES)), expected, text)


if __name__ == "__main__":
    unittest.main()
