// A kernel with a head, sound as it is, and what is said of it with one place changed.
#pragma once

#include "core/ptx/head/check.h"
#include "tests/ptx/heads.h"

#include <gtest/gtest.h>

namespace phasebit::test {

inline const std::string preamble = ".version 8.0\n.target sm_90\n.address_size 64\n";

// A kernel of two roles as the renderer heads it, and its clock reads.
inline const std::string checked_head =
    "//@ format = 1\n"
    "//@ id = \"a/b/c/d\"\n"
    "//@ roles = [{ role = \"producer\", warps = [0] }, { role = \"consumer\", warps = [1] }]\n"
    "//@ barriers = [{ name = \"full\", kind = \"mbarrier\", base = 0, count = 4, arrivals = 1 "
    "}]\n"
    "//@ registers = [{ role = \"consumer\", item = \"c_item\" }]\n"
    "//@ [key]\n"
    "//@ probe = \"a\"\n"
    "//@ [launch]\n"
    "//@ threads = 64\n"
    "//@ shared_bytes = 32\n"
    "//@ timed_role = \"consumer\"\n"
    "//@ reqntid = [64, 1, 1]\n";
inline const std::string checked_text =
    ".visible .entry k(.param .align 8 .b8 pb[96])\n"
    ".reqntid 64, 1, 1\n"
    "{\n"
    ".extern .shared .align 8 .b8 ring[];\n"
    "mbarrier.init.shared.b64 [ring], 1;\n"
    "mbarrier.init.shared.b64 [ring+8], 1;\n"
    "mbarrier.init.shared.b64 [ring+16], 1;\n"
    "mbarrier.init.shared.b64 [ring+24], 1;\n"
    ".reg .b32 c_item;\n"
    ".reg .b64 start, end;\n"
    "// [producer clock_start] common/clock_start.ptx:1\n"
    "mov.u64 start, %clock64;\n"
    "// [producer clock_end] common/clock_end.ptx:1\n"
    "mov.u64 end, %clock64;\n"
    "// [consumer clock_start] common/clock_start.ptx:1\n"
    "mov.u64 start, %clock64;\n"
    "// [consumer clock_end] common/clock_end.ptx:1\n"
    "mov.u64 end, %clock64;\n"
    "}\n";

inline Status check(const std::string& text) {
  PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(text, "t.ptx"));
  const ptx::PtxFunction& entry = *file.entries().front();
  PHASEBIT_TRY_ASSIGN(head, ptx::head::read_head(entry.head_lines, file.name));
  return ptx::head::check_head(head, file, entry);
}

inline void expect_broken(std::string text, const Broken& row) {
  ASSERT_NE(text.find(row.from), std::string::npos) << row.from;
  text.replace(text.find(row.from), row.from.size(), row.to);
  const Status status = check(text);
  ASSERT_FALSE(status) << row.message;
  EXPECT_EQ(status.error().text(), row.message);
}

}  // namespace phasebit::test
