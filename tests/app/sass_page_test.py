"""`phasebit sass page` in a browser: it says what `sass matrix` and `sass diff` say."""

import json
import tempfile
from pathlib import Path

from page_browser import HOME, PageTest, main, phasebit
from selenium.webdriver.common.keys import Keys

SPACE = ["--spec", str(HOME / "specs" / "curated.toml"),
         "--sweep", "curated", "--filter", "barrier/st_shared/none"]
TARGETS = ["sm_80", "sm_90", "sm_90a", "sm_120a"]
PINNED, OLDER = "13.5.37", "12.4.131"
VARIANT = "ring/mbarrier/st_shared/none"
# Of one slot and one role: its code is what the published results measured.
MEASURED = VARIANT + "/num_stages=1/roles=unified/producers=4/consumers=4"
SIGNS = {"identical": "=", "schedule": "s", "renamed": "r", "operands": "o",
         "instructions": "x", "": ""}


def mask(bits, letters):
    return "".join(letter if bits >> i & 1 else "-" for i, letter in enumerate(letters))


def scoreboard(number):
    return "-" if number == 7 else str(number)


def side_cells(one):
    """Address, control fields and instruction of one side of a row of `sass diff --json`."""
    if one is None:
        return [""] * 8
    text = " ".join(word for word in (one["predicate"], one["opcode"], one["operands"]) if word)
    return [f"{one['address']:04x}", f"{one['stall_cycles']:02}", "Y" if one["yield"] else "-",
            "W" + scoreboard(one["write_scoreboard"]), "R" + scoreboard(one["read_scoreboard"]),
            "B" + mask(one["wait_mask"], "012345"), mask(one["reuse"], "abc"), text]


def row_cells(row):
    left, right = row["left"], row["right"]
    mark = ">" if left is None else "<" if right is None else SIGNS[row["change"]]
    return [*side_cells(left), mark, *side_cells(right), (right or left)["verb"]]


class SassPage(PageTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.file = Path(cls.folder.name) / "page.html"
        common = [*SPACE, "-t", ",".join(TARGETS), "--reference", "sm_90a"]
        toolchains = HOME / ".toolchains"
        cls.older = OLDER if (toolchains / OLDER).is_dir() else None
        versions = ["--toolchain", f"{cls.older},{PINNED}"] if cls.older else []
        phasebit("sass", "page", *common, *versions, "-o", str(cls.file))
        cls.matrix = json.loads(phasebit("sass", "matrix", *common, "--format", "json"))
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.folder.cleanup()

    def variants_shown(self):
        return self.texts("#matrix tbody th")

    def cells(self):
        """[[cell text by column] by row] with every column shown."""
        return self.browser.execute_script(
            "return [...document.querySelectorAll('#matrix tbody tr')].map((row) => "
            "[...row.querySelectorAll('td')].map((cell) => cell.innerText.split(/\\s+/)))")

    def diff(self, left, right):
        axis = ["--target", f"{left},{right}"]
        if left[0].isdigit():
            axis = ["--target", "sm_90", "--toolchain", f"{left},{right}"]
        return json.loads(phasebit("sass", "diff", VARIANT, *axis, "--json"))

    def listing(self):
        return self.browser.execute_script(
            "return [...document.querySelectorAll('#rows tbody tr:not(.gap)')].map((row) => "
            "[...row.querySelectorAll('td')].map((cell) => cell.textContent).slice(0, 18))")

    def check_listing(self, left, right):
        if self.all("#only:checked"):
            self.all("#only")[0].click()
        expected = [row_cells(row) for row in self.diff(left, right)["rows"]]
        self.assertGreater(len(expected), 200)
        self.assertEqual(self.listing(), expected)

    def test_matrix_says_what_the_command_says(self):
        self.open()
        self.all("#every")[0].click()
        self.assertEqual(self.variants_shown(), [row["variant"] for row in self.matrix["rows"]])
        for row, cells in zip(self.matrix["rows"], self.cells()):
            for target, expected, cell in zip(TARGETS, row["cells"], cells):
                where = f"{row['variant']} {target}: {cell}"
                if expected["features"] is None:
                    self.assertIn(" ".join(cell), expected["problem"], where)
                    continue
                sign = "ref" if target == "sm_90a" else SIGNS[expected["change"]]
                self.assertIn(expected["text_hash"][:6], cell, where)
                self.assertEqual([sign] if sign else [], cell[:1] if sign else [], where)
                counts = [f"{loop['hot']['instructions']}/{loop['hot']['issue_cycles']}"
                          for loop in expected["features"]["loops"] if not loop["problem"]]
                for word in [*counts, str(expected["features"]["kernel"]["instructions"]),
                             str(expected["features"]["registers"])]:
                    self.assertIn(word, cell, where)

    def test_equal_columns_stand_together(self):
        self.open()
        heads = [" ".join(head.split()) for head in self.texts("#matrix thead button")]
        self.assertEqual(heads, ["sm_80", "sm_90 a reference", "sm_120a"])

    def test_long_runs_of_equal_rows_are_hidden(self):
        # Eight equal rows: three of context at each end stay.
        self.open("#ring/mbarrier/st_shared/none/num_stages=2/addressing=unrolled,sm_90a,sm_120a")
        hidden = self.texts("#rows .gap button")
        self.assertTrue(hidden and all(text.endswith(" rows more") for text in hidden))

    def test_click_opens_the_listing(self):
        self.open()
        number = [row["variant"] for row in self.matrix["rows"]].index(VARIANT)
        self.all(f'td[data-variant="{number}"][data-group="2"]')[0].click()
        self.assertEqual(self.texts("#listing-title"), [VARIANT])
        self.assertEqual(self.texts("#verdict"), ["instructions"])
        rows = self.diff("sm_90a", "sm_120a")["rows"]
        changed = [row_cells(row) for row in rows if row["change"] != "identical"]
        self.assertEqual([row for row in self.listing() if row[8] != "="], changed)
        self.check_listing("sm_90a", "sm_120a")
        places = self.texts("#rows td.place")
        self.assertTrue(any(place.startswith("mbarrier/wait.ptx:") for place in places))

    def test_deep_link_with_another_reference(self):
        self.open(f"#{VARIANT},sm_90a,sm_120a")
        self.check_listing("sm_120a", "sm_90a")
        self.press(Keys.ESCAPE)
        self.assertFalse(self.all("#listing")[0].is_displayed())
        self.assertTrue(self.browser.current_url.endswith("page.html"))
        self.open("#no/such/variant,sm_90a")
        self.assertEqual(self.texts("#shown"), ["No cell no/such/variant, sm_90a on this page."])

    def test_versions_of_ptxas(self):
        if not self.older:
            self.skipTest(f"no ptxas {OLDER} in .toolchains")
        self.open(f"#{VARIANT},ptxas {self.older}")
        self.check_listing(PINNED, self.older)
        self.press(Keys.ESCAPE)
        heads = [" ".join(head.split()) for head in self.texts("#matrix thead button")]
        self.assertEqual(heads, [f"ptxas {self.older}", f"ptxas {PINNED} reference"])
        self.assertEqual(self.texts("#view option"), ["architectures", "ptxas versions, sm_90"])

    def test_filters(self):
        self.open()
        field = self.all("#filter")[0]
        field.send_keys("named_barrier")
        self.assertEqual(self.variants_shown(),
                         [row["variant"] for row in self.matrix["rows"]
                          if "named_barrier" in row["variant"]])
        field.clear()
        field.send_keys("PHASECHK.TRANS64.TRYWAIT")
        self.assertIn(VARIANT, self.variants_shown())
        self.assertNotIn("ring/named_barrier/st_shared/none", self.variants_shown())
        self.assertNotIn("ring/mbarrier/st_shared/none/wait=test_wait", self.variants_shown())
        field.clear()
        field.send_keys(" ")
        self.all('button[data-change="identical"]')[0].click()
        self.assertEqual(self.variants_shown(),
                         [row["variant"] for row in self.matrix["rows"]
                          if any(cell["change"] == "identical" for cell in row["cells"])])

    def test_keyboard(self):
        self.open()
        self.browser.execute_script("document.querySelector('td[tabindex=\"0\"]').focus()")
        self.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
        cell = self.browser.switch_to.active_element
        self.assertEqual((cell.get_attribute("data-variant"), cell.get_attribute("data-group")),
                         ("1", "1"))
        self.assertEqual(len(self.all('td[tabindex="0"]')), 1)
        self.press(Keys.ENTER)
        self.assertTrue(self.all("#listing")[0].is_displayed())
        self.press(Keys.ARROW_RIGHT)
        self.assertIn(",sm_120a,sm_90a", self.browser.current_url)
        self.press("n", "n")
        self.assertEqual(len(self.all("#rows tr.current")), 1)
        self.press(Keys.ESCAPE)
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("data-group"), "2")

    def test_opcodes_are_explained(self):
        self.open(f"#{VARIANT},sm_120a")
        self.browser.execute_script(
            "const one = document.querySelector("
            "'[data-opcode=\"SYNCS.PHASECHK.TRANS64.TRYWAIT\"]'); one.scrollIntoView();"
            "one.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))")
        tip = self.all("#tip")[0]
        self.assertTrue(tip.is_displayed())
        self.assertTrue(tip.text.startswith("SYNCS.PHASECHK.TRANS64.TRYWAIT"))
        self.assertIn("mbarrier.try_wait", tip.text)
        self.assertIn("BAR.SYNC", self.texts("#listing dt"))

    def test_names_for_assistive_tools(self):
        self.open()
        unnamed = self.browser.execute_script(
            "return [...document.querySelectorAll('td, button, select, input')].filter((one) => "
            "!(one.ariaLabel || one.textContent.trim() || (one.labels && one.labels.length)))"
            ".map((one) => one.outerHTML)")
        self.assertEqual(unnamed, [])

    def test_opens_at_the_timed_loop(self):
        for column, reference in [("sm_120a", "sm_90a"), ("sm_90a", "sm_90a")]:
            self.open(f"#{VARIANT},{column},{reference}")
            target = self.matrix["rows"][self.index(VARIANT)]["cells"][TARGETS.index(column)]
            loops = {loop["role"]: loop["address"] for loop in target["features"]["loops"]}
            first = self.run_script(
                "const top = document.querySelector('#rows').getBoundingClientRect().top;"
                "const row = [...document.querySelectorAll('#rows tbody tr')].find((one) => "
                "one.dataset.right && one.getBoundingClientRect().bottom > top + 40);"
                "return [16 * row.dataset.right, row.querySelector('td.verb').textContent]")
            # The consumer's clock is the figure; two rows are after the table's head.
            self.assertLessEqual(abs(first[0] - loops["consumer"]), 3 * 16, (first, loops))

    def index(self, variant):
        return [row["variant"] for row in self.matrix["rows"]].index(variant)

    def cell(self, variant, column):
        """With every column shown."""
        return self.all(f'td[data-variant="{self.index(variant)}"]'
                        f'[data-group="{TARGETS.index(column)}"]')[0]

    def test_measured_cycles_stand_in_the_cells(self):
        query = (f"select cycles from figure where id = '{MEASURED}' "
                 "and quantity = 'cycles' and newest")
        expected = json.loads(phasebit("sql", query, "--device", "H200", "--format",
                                       "json"))["rows"][0]["cycles"]
        query = (f"select device_name from point where id = '{MEASURED}' "
                 "order by run_started desc limit 1")
        last = json.loads(phasebit("sql", query, "--format", "json"))["rows"][0]["device_name"]
        self.open()
        self.all("#every")[0].click()
        cell = self.cell(MEASURED, "sm_90a")
        self.assertIn(f"cycles per item, {last.split()[1]}", cell.text)
        measured = float(cell.find_element("css selector", ".measured strong").text)
        self.assertAlmostEqual(measured, expected, delta=0.5)
        # The history by ptxas has the same variant for sm_90, measured on an H200.
        self.assertIn("cycles per item, H200", self.cell(MEASURED, "sm_90").text)
        # Never for a target that was not measured.
        for other in ("sm_80", "sm_120a"):
            self.assertNotIn("cycles", self.cell(MEASURED, other).text, other)
        cell.click()
        self.assertIn(f"{last}, code for sm_90a, 2026-", self.texts("#measured")[0])

    def test_a_group_of_columns_names_the_measured_target(self):
        """sm_90 and sm_90a are one group; what was measured last is there, with its target."""
        self.open()
        texts = [cell.text for cell in self.all('td[data-group="1"]')]
        measured = [text for text in texts if "cycles per item" in text]
        self.assertTrue(any("sm_90 on H200" in text for text in measured), texts)
        for text in measured:
            self.assertRegex(text, r"cycles per item, sm_90a? on H[12]00")

    def test_the_reference_is_the_first_column_with_code(self):
        phasebit("sass", "page", *SPACE, "-t", ",".join(TARGETS), "-o", str(self.file) + "2.html")
        self.open(file=Path(str(self.file) + "2.html"))
        # Some variants have code for sm_80; those of mbarrier are compared with sm_90.
        self.assertEqual(self.run_script("return document.getElementById('reference').value"), "0")
        self.all("#every")[0].click()
        self.assertEqual(self.cell(VARIANT, "sm_90").find_element("css selector", "b").text, "ref")
        self.assertEqual(self.cell(VARIANT, "sm_90a").find_element("css selector", "b").text, "=")

    def test_a_phone(self):
        self.phone()
        self.open()
        self.check_phone()
        self.assertEqual(len(self.all("#matrix tbody tr")), len(self.matrix["rows"]))
        self.open(f"#{VARIANT},sm_120a")
        self.check_phone()
        size = self.run_script(
            "return parseFloat(getComputedStyle(document.querySelector('#rows td.code')).fontSize)")
        self.assertGreaterEqual(size, 12)
        hidden = "return [...document.querySelectorAll('#rows td.r.control')].every((one) => " \
                 "getComputedStyle(one).display === 'none')"
        self.assertTrue(self.run_script(hidden))
        self.run_script("document.querySelector('button[data-fold=\"control\"]').click()")
        self.assertFalse(self.run_script(hidden))
        self.check_phone()

    def test_themes(self):
        self.open()
        def ground():
            return self.browser.execute_script(
                "return getComputedStyle(document.body).backgroundColor")
        before = ground()
        self.all("#theme")[0].click()
        self.assertNotEqual(ground(), before)


if __name__ == "__main__":
    main()
