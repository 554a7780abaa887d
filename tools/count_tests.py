"""Prints "N passed, N failed, N skipped" for the last `meson test`, in test cases.

A GoogleTest program counts as its cases, any other test program as one. A program that died, or
that failed although none of its cases did, is one failure more.
Usage: count_tests.py MESON_LOGS STATUS [--all-run], where STATUS is meson's exit status. Exits with
1 when anything failed or nothing ran, with --all-run also when a test outside of the suite `gpu`
was skipped: it is named.
"""

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

GOOD = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP", "IGNORED"}
# What a machine may not allow, whatever is installed: mounting a disk.
MAY_SKIP = {"File.AFullDiskKeepsTheOldFile"}


def case_result(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    if case.find("skipped") is not None or case.get("status") == "notrun":
        return "skipped"
    return "passed"


def gtest_cases(junit, program):
    """{case: result} of one GoogleTest program; empty for another kind of test."""
    prefix = f"phasebit.{program}."
    return {f"{suite.get('name')[len(prefix):]}.{case.get('name')}": case_result(case)
            for suite in junit.iter("testsuite") if suite.get("name", "").startswith(prefix)
            for case in suite.iter("testcase")}


def count(programs, junit):
    """programs: [(name, meson's result)] -> {passed, failed, skipped}."""
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for name, result in programs:
        cases = list(gtest_cases(junit, name).values())
        for case in cases:
            counts[case] += 1
        if result in GOOD or result in SKIPPED:
            if not cases:
                counts["passed" if result in GOOD else "skipped"] += 1
        elif "failed" not in cases:
            counts["failed"] += 1
    return counts


def unexpected_skips(programs, junit):
    """Skipped programs and cases that need no GPU: something that they need is missing."""
    found = []
    for name, result in programs:
        if name.startswith("gpu - "):
            continue
        cases = [case for case, how in gtest_cases(junit, name).items() if how == "skipped"]
        found += [f"{name}: {case}" for case in cases if case not in MAY_SKIP]
        if result in SKIPPED and not cases:
            found.append(name)
    return found


def main():
    if sys.argv[1:] in (["--help"], ["-h"]):
        print(__doc__.strip())
        return 0
    logs, status = Path(sys.argv[1]), int(sys.argv[2])
    programs = []
    for line in (logs / "testlog.json").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        programs.append((row["name"], row["result"]))
    junit = ElementTree.parse(logs / "testlog.junit.xml")
    counts = count(programs, junit)
    if status != 0 and counts["failed"] == 0:
        counts["failed"] = 1  # meson itself failed
    skips = unexpected_skips(programs, junit) if "--all-run" in sys.argv else []
    for name in skips:
        print(f"skipped, and must run here: {name}")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return 1 if counts["failed"] or not counts["passed"] or skips else 0


if __name__ == "__main__":
    sys.exit(main())
