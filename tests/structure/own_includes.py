"""Each source of the program includes what it names, itself or by its own headers.

The compiler does not say so: a precompiled header brings the standard library along, and a unity
build the headers of the sources in front. Held are names of the headers that are precompiled,
types that one header of the program alone declares, and that a file has a use for each name that
it takes over by `using`.
"""

import argparse
import re
import sys
from pathlib import Path

FOLDERS = ["core", "gen", "analysis", "join", "bench", "app"]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
COMMENT_OR_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
# What is used: the headers of which one must be there.
LIBRARY = {
    r"std::(sort|stable_sort|find|find_if|find_if_not|any_of|all_of|none_of|count|count_if|min|max"
    r"|clamp|copy|transform|unique|reverse|fill|equal|lower_bound|upper_bound|remove_if"
    r"|max_element|min_element|minmax_element|nth_element|binary_search|is_sorted"
    r"|set_difference)\(": {"algorithm"},
    r"std::array\b": {"array"},
    r"std::(from_chars|to_chars)\b": {"charconv"},
    r"std::u?int(8|16|32|64)_t\b": {"cstdint"},
    r"std::filesystem\b": {"filesystem"},
    r"std::function\b": {"functional"},
    r"std::(multi)?map\b": {"map"},
    r"std::(unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared)\b": {"memory"},
    r"std::(optional|nullopt)\b": {"optional"},
    r"std::(multi)?set\b": {"set"},
    r"std::[io]?stringstream\b": {"sstream"},
    r"std::(string|to_string)\b": {"string"},
    r"std::string_view\b": {"string_view", "string"},
    r"std::(pair|move|exchange|forward)\b": {"utility", "map", "memory", "vector"},
    r"std::vector\b": {"vector"},
    r"fmt::join\b": {"fmt/ranges.h", "fmt/format.h"},
    r"fmt::format\b": {"fmt/format.h"},
    r"tl::(expected|unexpected)\b": {"tl/expected.hpp"},
    r"nlohmann::(ordered_)?json\b": {"nlohmann/json.hpp", "nlohmann/json_fwd.hpp"},
    r"nlohmann::(ordered_)?json::(parse|array|object)\(": {"nlohmann/json.hpp"},
}
# Wherever it is, in a class too; and those that are by themselves.
DECLARED = re.compile(r"\b(?:struct|class|enum|union|using|typename|concept) +"
                      r"(?:\[\[\w+\]\] +)?(?:[\w:]+::)?([A-Z]\w+)")
TYPE = re.compile(r"^(?:struct|(?:enum )?class|enum|union) +(?:\[\[\w+\]\] +)?([A-Z]\w+)"
                  r"(?=[^;]*[{:])", re.MULTILINE)
# A function's own name, by itself or in a class: a type in front, no operator, no call.
FUNCTION = re.compile(r"^(?:[\w:<>,&*\[\]]+ )*?[\w:<>,]+[ &*]+(\w+)\(", re.MULTILINE)
CALL = re.compile(r"(?<![\w.>])(?<!std::)(?<!fmt::)(\w+)\(")
USING = re.compile(r"^using ([\w:]+)::(\w+);", re.MULTILINE)


def bare(text):
    """The text without its comments, strings and characters."""
    return COMMENT_OR_TEXT.sub(lambda found: " " if found[0][0] == "/" else '""', text)


class Sources:
    def __init__(self, texts):
        """texts: {path below the root: what the file holds}."""
        self.bare = {path: bare(text) for path, text in texts.items()}
        self.direct = {path: [name for _, name in INCLUDE.findall(text)]
                       for path, text in texts.items()}
        self.closures = {}
        self.homes = {}  # a type, or a function: the headers that declare it
        for path in texts:
            if path.endswith(".h"):
                for name in TYPE.findall(self.bare[path]) + FUNCTION.findall(self.bare[path]):
                    self.homes.setdefault(name, set()).add(path)
        self.declared = {path: set(DECLARED.findall(text)) | set(re.findall(
            r"[\w>&*)] [&*]*(\w+)(?:\(| = \[|;|\{)", text)) for path, text in self.bare.items()}

    def closure(self, path):
        """All that a file includes, by way of headers of the program."""
        if path not in self.closures:
            found = set(self.direct[path])
            self.closures[path] = found  # before it goes on: headers may meet again
            for name in self.direct[path]:
                if name in self.direct:
                    found |= self.closure(name)
        return self.closures[path]

    def library(self, path):
        for pattern, headers in LIBRARY.items():
            used = re.search(pattern, self.bare[path])
            if used and not headers & self.closure(path):
                yield f"{path}: {used[0].rstrip('(')} without <{min(headers)}>"

    def types(self, path):
        included = self.closure(path)
        if any(name.startswith("llvm/") for name in included):
            return  # LLVM has types of the same names
        known = set(self.declared[path])
        for name in included & self.declared.keys():
            known |= self.declared[name]
        named = re.findall(r"\b[A-Z]\w+", self.bare[path]) + CALL.findall(self.bare[path])
        for name in sorted(set(named) - known):
            if len(self.homes.get(name, ())) == 1:
                yield f'{path}: {name} without "{min(self.homes[name])}"'

    def taken_over(self, path):
        text = self.bare[path]
        for scope, name in USING.findall(text) if path.endswith(".cpp") else []:
            declared = re.findall(rf"^using [\w:]+::{name};", text, re.MULTILINE)
            if len(re.findall(rf"\b{name}\b", text)) == len(declared):
                yield f"{path}: `using {scope}::{name}` that nothing uses"

    def violations(self, path):
        return [*self.library(path), *self.types(path), *self.taken_over(path)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    root = parser.parse_args().root
    texts = {str(path.relative_to(root)): path.read_text(encoding="utf-8")
             for folder in FOLDERS for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".h", ".cpp")}
    sources = Sources(texts)
    found = [line for path in texts for line in sources.violations(path)]
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(texts)} files checked, {len(found)} violations")
    return 1 if found or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
