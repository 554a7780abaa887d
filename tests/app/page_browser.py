"""A page of `phasebit sass page` in a browser, for tests."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

try:
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.chrome.service import Service
except ImportError:
    print("no selenium: python3-selenium, chromium and chromium-driver are needed")
    sys.exit(77)

PHASEBIT = os.environ["PHASEBIT_PROGRAM"]
HOME = Path(os.environ["PHASEBIT_HOME"])


def phasebit(*words):
    return subprocess.run([PHASEBIT, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def open_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--window-size=1280,900"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class PageTest(unittest.TestCase):
    """`file` is the page, `browser` shows it; no test may log an error or load anything."""

    @classmethod
    def setUpClass(cls):
        cls.browser = open_browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def open(self, place="", file=None):
        self.browser.get("about:blank")
        self.browser.get((file or self.file).as_uri() + place)

    def tearDown(self):
        self.assertEqual(self.browser.get_log("browser"), [])
        loaded = self.browser.execute_script(
            "return performance.getEntriesByType('resource').map((entry) => entry.name)")
        self.assertEqual([name for name in loaded if not name.startswith("data:")], [])

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        """The text of each element, with blanks as they are."""
        return self.browser.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)",
            selector)

    def press(self, *keys):
        for key in keys:
            self.browser.switch_to.active_element.send_keys(key)

    def run_script(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def phone(self):
        """390 x 844, with a finger; until desktop()."""
        self.addCleanup(self.desktop)
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True})

    def desktop(self):
        self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def check_phone(self):
        """Nothing is wider than the screen, and what is touched is large enough."""
        self.assertEqual(self.run_script("return innerWidth"), 390)
        self.assertLessEqual(self.run_script("return document.documentElement.scrollWidth"), 390)
        wide = self.run_script(
            "return [...document.querySelectorAll('#rows tr, #matrix tr, header, #about')]"
            ".filter((one) => one.getBoundingClientRect().right > 390.5)"
            ".map((one) => one.outerHTML.slice(0, 200))")
        self.assertEqual(wide, [])
        low = self.run_script(
            "return [...document.querySelectorAll('button, select, input, summary, #matrix td')]"
            ".map((one) => [one, (one.labels && one.labels[0]) || one]).filter(([one, shown]) => "
            "shown.offsetParent && shown.getBoundingClientRect().height < 40)"
            ".map(([one]) => one.outerHTML.slice(0, 200))")
        self.assertEqual(low, [])


def main():
    for program in ("/usr/bin/chromium", "/usr/bin/chromedriver"):
        if not Path(program).exists():
            print(f"no {program}: chromium and chromium-driver are needed")
            sys.exit(77)
    unittest.main()
