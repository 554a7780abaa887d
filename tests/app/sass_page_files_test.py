"""`phasebit sass page FILES` in a browser: it says what `sass show` and `sass diff` say."""

import json
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import quote

from page_browser import HOME, PHASEBIT, PageTest, main, phasebit
from selenium.webdriver.common.keys import Keys

# ns::walk<float, 64>(float*, int): a loop (lines 10, 11, 14) around a loop (lines 12, 13), and
# ns::step(float*), a loop of lines 20 and 21. `bump` is what the inner loop adds.
WALK, STEP = "_ZN2ns4walkIfLi64EEEvPfi", "_ZN2ns4stepEPf"
WALK_NAME, STEP_NAME = "void ns::walk<float, 64>(float*, int)", "ns::step(float*)"
HEAD = ".version 8.0\n.target {target}\n.address_size 64\n.file 1 \"src/k.cu\"\n"
WALK_PTX = """.visible .entry _ZN2ns4walkIfLi64EEEvPfi(.param .u64 p, .param .u32 n)
{{
.reg .b64 a;
.reg .b32 i, j, m;
.reg .f32 x;
.reg .pred q;
.loc 1 10 0
ld.param.u64 a, [p];
ld.param.u32 m, [n];
mov.b32 i, 0;
OUTER:
.pragma "nounroll";
.loc 1 11 0
mov.b32 j, 0;
INNER:
.pragma "nounroll";
.loc 1 12 0
ld.volatile.global.f32 x, [a];
add.f32 x, x, {bump};
st.volatile.global.f32 [a], x;
.loc 1 13 0
add.u32 j, j, 1;
setp.lt.u32 q, j, m;
@q bra INNER;
.loc 1 14 0
add.u64 a, a, 4;
add.u32 i, i, 1;
setp.lt.u32 q, i, m;
@q bra OUTER;
ret;
}}
"""
STEP_PTX = """.visible .entry _ZN2ns4stepEPf(.param .u64 p)
{
.reg .b64 a;
.reg .b32 i;
.reg .pred q;
.loc 1 20 0
ld.param.u64 a, [p];
mov.b32 i, 0;
L:
.pragma "nounroll";
.loc 1 21 0
st.volatile.global.u32 [a], i;
add.u32 i, i, 1;
setp.lt.u32 q, i, 8;
@q bra L;
ret;
}
"""


def ptxas():
    found = sorted(HOME.glob(".toolchains/13.5.37/**/bin/ptxas"))
    return found[0] if found else None


class SassPageFiles(PageTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        if not ptxas():
            raise cls.skipTest(cls, "no ptxas in .toolchains")
        cls.one = cls.cubin("one", "sm_80", WALK_PTX.format(bump="0f3F800000"))
        cls.two = cls.cubin("two", "sm_80", WALK_PTX.format(bump="0f40000000") + STEP_PTX)
        cls.other = cls.cubin("other", "sm_90", WALK_PTX.format(bump="0f3F800000"))
        cls.file = cls.page("pair", cls.one, cls.two)
        cls.single = cls.page("single", cls.one)
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return Path(cls.folder.name) / name

    @classmethod
    def cubin(cls, name, target, kernels):
        source, out = cls.path(name + ".ptx"), cls.path(name + ".cubin")
        source.write_text(HEAD.format(target=target) + kernels, encoding="utf-8")
        subprocess.run([ptxas(), "-lineinfo", "-arch", target, source, "-o", out], check=True)
        return str(out)

    @classmethod
    def page(cls, name, *words):
        out = cls.path(name + ".html")
        phasebit("sass", "page", *words, "-o", str(out))
        return out

    def inner_loop(self, file):
        """Of `sass show`: the deepest loop of the walk."""
        shown = json.loads(phasebit("sass", "show", file, "--kernel", WALK, "--json"))
        return shown, max(shown["loops"], key=lambda loop: loop["depth"])

    def first_row(self):
        """The address of the first row below the table's head."""
        return self.run_script(
            "const top = document.querySelector('#rows').getBoundingClientRect().top;"
            "return 16 * [...document.querySelectorAll('#rows tbody tr')].find((one) => "
            "one.dataset.right && one.getBoundingClientRect().bottom > top + 40).dataset.right")

    def test_one_kernel_opens_at_its_hottest_loop(self):
        self.open(file=self.single)
        shown, loop = self.inner_loop(self.one)
        self.assertEqual(loop["depth"], 2)
        hot = self.run_script("return [...document.querySelectorAll('#rows tr.hot')]"
                              ".map((row) => 16 * row.dataset.right)")
        self.assertEqual(hot, [one["address"] for one in shown["instructions"]
                               if one["loop_depth"] == 2])
        visible = self.run_script(
            "const box = document.querySelector('#rows').getBoundingClientRect();"
            "const row = document.querySelector('#rows tr.hot').getBoundingClientRect();"
            "return row.top >= box.top && row.bottom <= box.bottom")
        self.assertTrue(visible)
        # The only code is its own reference: one side is shown.
        self.assertFalse(self.all("#rows td.l")[0].is_displayed())

    def test_the_listing_is_that_of_show(self):
        self.open(file=self.single)
        shown, _ = self.inner_loop(self.one)
        rows = self.run_script(
            "return [...document.querySelectorAll('#rows tbody tr:not(.gap)')].map((row) => "
            "[...row.querySelectorAll('td.r.at, td.r.stall, td.r.code, td.verb, td.place')]"
            ".map((cell) => cell.textContent))")
        expected = []
        for one in shown["instructions"][:len(rows)]:
            text = " ".join(word for word in (one["predicate"], one["opcode"], one["operands"])
                            if word)
            place = f"{one['file']}:{one['line']}" if one["line"] else ""
            expected.append([f"{one['address']:04x}", f"{one['stall_cycles']:02}", text,
                             str(one["loop_depth"] or ""), place])
        self.assertEqual(len(rows), shown["kernel"]["instructions"])
        self.assertEqual(rows, expected)

    def test_loops_and_lines(self):
        self.open(file=self.single)
        shown, inner = self.inner_loop(self.one)
        details = {one.get_attribute("data-name"): one for one in self.all("#about details")}
        self.assertEqual(details["loops"].text, "2 loops")
        details["loops"].find_element("tag name", "summary").click()
        rows = self.run_script("return [...document.querySelectorAll('[data-name=loops] tbody tr')]"
                               ".map((row) => [...row.cells].map((cell) => cell.textContent))")
        expected = [[f"{loop['begin']:04x}-{loop['end'] - 16:04x}", str(loop["depth"]),
                     str(loop["own"]["instructions"]), str(loop["own"]["issue_cycles"]),
                     str(loop["own"]["scoreboard_waits"]), str(loop["inner"]["instructions"]),
                     "hottest" if loop == inner else "", loop["lines"]] for loop in shown["loops"]]
        self.assertEqual(rows, expected)
        details = {one.get_attribute("data-name"): one for one in self.all("#about details")}
        details["lines"].find_element("tag name", "summary").click()
        rows = self.run_script("return [...document.querySelectorAll('[data-name=lines] tbody tr')]"
                               ".map((row) => [...row.cells].slice(0, 3)"
                               ".map((cell) => cell.textContent))")
        expected = [["src/" + line["line"], str(line["counts"]["instructions"]),
                     str(line["counts"]["issue_cycles"])]
                    for line in shown["lines"] if line["line"]]
        self.assertEqual(sorted(rows), sorted(expected))

    def test_rows_and_the_reference(self):
        self.open()
        self.assertEqual(self.texts("#matrix tbody th summary"), [WALK_NAME, STEP_NAME])
        self.all("#matrix summary")[0].click()
        self.assertIn(WALK, self.all("#matrix details[open] p")[-1].text)
        signs = self.run_script("return [...document.querySelectorAll('#matrix tbody tr')].map("
                                "(row) => [...row.querySelectorAll('td')].map((cell) => "
                                "cell.querySelector('b') ? cell.querySelector('b').textContent"
                                " : cell.innerText))")
        # The step is in the second file alone, which is its reference.
        self.assertEqual(signs, [["ref", "o"], ["not in it", "ref"]])
        _, loop = self.inner_loop(self.one)
        counts = f"{loop['own']['instructions']}/{loop['own']['issue_cycles']}"
        self.assertIn(counts, self.all("#matrix td")[0].text.split())

    def test_a_diff_is_that_of_the_command(self):
        self.open("#" + quote(WALK_NAME) + ",two.cubin")
        diff = json.loads(phasebit("sass", "diff", self.one, self.two, "--kernel", WALK, "--json"))
        self.assertEqual(self.texts("#verdict"), [diff["change"]])
        marks = {"identical": "=", "schedule": "s", "renamed": "r", "operands": "o",
                 "instructions": "x"}
        self.all("#only")[0].click()
        self.assertEqual("".join(self.texts("#rows tbody td.mark")),
                         "".join(marks[row["change"]] if row["left"] and row["right"] else
                                 "<" if row["left"] else ">" for row in diff["rows"]))

    def test_deep_links(self):
        # By name with its comma encoded or not, by symbol, with a reference, without a column.
        for place in (quote(WALK_NAME, safe="") + ",two.cubin,one.cubin",
                      WALK_NAME + ",two.cubin,one.cubin", WALK + ",two.cubin", WALK):
            self.open("#" + place)
            self.assertEqual(self.texts("#listing-title"), [WALK_NAME], place)
            self.assertEqual(self.texts(".sides strong"), ["one.cubin", "two.cubin"], place)
            self.assertTrue(self.browser.current_url.endswith(
                quote(WALK_NAME, safe="*():&") .replace("%3A", ":") + ",two.cubin,one.cubin"),
                self.browser.current_url)
        self.open("#" + WALK + ",one.cubin,two.cubin")
        self.assertEqual(self.texts(".sides strong"), ["two.cubin", "one.cubin"])
        self.open("#nobody,one.cubin")
        self.assertEqual(self.texts("#shown"), ["No cell nobody, one.cubin on this page."])

    def test_filter_and_keys(self):
        self.open()
        self.all("#filter")[0].send_keys("4step")
        self.assertEqual(self.texts("#matrix tbody th summary"), [STEP_NAME])
        self.all("#filter")[0].clear()
        self.all("#filter")[0].send_keys("fadd")
        self.assertEqual(self.texts("#matrix tbody th summary"), [WALK_NAME])
        self.run_script("document.querySelector('td[tabindex=\"0\"]').focus()")
        self.press(Keys.ARROW_RIGHT, Keys.ENTER)
        self.assertEqual(self.texts("#listing-title"), [WALK_NAME])
        self.run_script("document.querySelector('#rows').scrollTop = 0")
        self.press("h")
        _, loop = self.inner_loop(self.two)
        self.assertLessEqual(abs(self.first_row() - loop["begin"]), 3 * 16)
        self.press(Keys.ESCAPE)
        self.assertFalse(self.all("#listing")[0].is_displayed())

    def test_a_phone(self):
        self.phone()
        self.open()
        self.check_phone()
        self.open(file=self.single)
        self.check_phone()
        self.assertTrue(self.run_script(
            "const row = document.querySelector('#rows tr.hot').getBoundingClientRect();"
            "return row.top > 0 && row.bottom < 844"))
        self.open("#" + WALK + ",two.cubin")
        self.check_phone()
        # Where both sides differ, both are there, one above the other.
        self.assertTrue(self.run_script(
            "const row = document.querySelector('#rows tr.operands');"
            "const [a, b] = [...row.querySelectorAll('td.code')].map((one) => "
            "one.getBoundingClientRect()); return a.height > 0 && a.bottom <= b.top + 1"))
        self.run_script("document.querySelector('button[data-fold=\"reference\"]').click()")
        self.assertFalse(self.all("#rows tr.operands td.l.code")[0].is_displayed())

    def test_columns_of_targets(self):
        page = self.page("targets", self.one, self.other)
        self.open(file=page)
        self.assertEqual(self.texts("#reference option"), ["one.cubin sm_80", "other.cubin sm_90"])

    def test_what_it_refuses(self):
        for words, message in [
                ([self.one, "--toolchain", "12.4"],
                 "usage: --toolchain is for variants, not for files\n"),
                ([self.one, "--reference", "tow.cubin"],
                 "usage: --reference tow.cubin: no column of this page"),
                (["--kernel", "walk"],
                 "usage: --kernel walk: it is for files, and there is none\n"),
                (["--source", "outer"],
                 "usage: --source is for code files, and there are none\n"),
                ([self.one, "--filter", "ring"], "usage: files are not variants: no --filter")]:
            ran = subprocess.run([PHASEBIT, "sass", "page", *words, "-o", self.path("x.html")],
                                 capture_output=True, text=True, check=False)
            self.assertNotEqual(ran.returncode, 0)
            self.assertIn(message, ran.stderr)


if __name__ == "__main__":
    main()
