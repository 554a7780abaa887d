#include "analysis/cubin/debug_line.h"

#include "analysis/cubin/cubin.h"
#include "core/base/process.h"
#include "tests/analysis/sass/support.h"

#include <random>
#include <sstream>

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

using test::assemble;
using test::ring;

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out += static_cast<char>(value);
  return out;
}

std::string little_endian(std::uint64_t value, int size) {
  std::string out;
  for (int i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}

std::string text(const std::string& word) {
  return word + '\0';
}

std::string old_tables();
std::string new_tables();

// A unit around a program, with the header fields that the standard puts before the tables.
// Line base -5, line range 14, opcode base 10, minimum instruction length 16 (one SASS word).
std::string unit(int version, bool wide, const std::string& program, std::string tables = "") {
  std::string fields = bytes({16});
  if (version >= 4) fields += bytes({1});
  fields += bytes({1, -5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1});
  if (tables.empty()) tables = version >= 5 ? new_tables() : old_tables();
  const int offset_size = wide ? 8 : 4;
  std::string body = little_endian(static_cast<std::uint64_t>(version), 2);
  if (version >= 5) body += bytes({8, 0});
  body += little_endian(fields.size() + tables.size(), offset_size) + fields + tables + program;
  return (wide ? little_endian(0xffffffff, 4) : "") + little_endian(body.size(), offset_size) +
         body;
}

std::string rows_of(const cubin::LineTable& table, std::size_t section) {
  std::string out;
  if (!table.sections.contains(section)) return "none";
  for (const cubin::LineRow& row : table.sections.at(section))
    out += fmt::format("{}{:#x}:{}", out.empty() ? "" : " ", row.address, row.line);
  return out;
}

// The files of the rows of a section, one after the other.
std::string files_of(const cubin::LineTable& table, std::size_t section) {
  std::string out;
  for (const cubin::LineRow& row : table.sections.at(section))
    out += (out.empty() ? "" : " ") +
           (table.source.file_of(row.frame).empty() ? "-" : table.source.file_of(row.frame));
  return out;
}

// Files 1 (of the folder "/src"), 2 (without folder) and 3 (of a folder inside the compiler's own).
std::string old_tables() {
  return text("/src") + text("sub") + bytes({0}) + text("k.cu") + bytes({1, 0, 0}) + text("l.cu") +
         bytes({0, 0x81, 1, 2}) + text("m.cuh") + bytes({2, 0, 0, 0});
}

// The same by DWARF 5: entries of {path as string}, then of {path, folder, a checksum}; file 0 is
// the compiler's own, which ptxas numbers 1 as well.
std::string new_tables() {
  const std::string sum(16, '\x5a');
  return bytes({1, 1, 8, 3}) + text("/base") + text("/src") + text("sub") +
         bytes({3, 1, 8, 2, 0x0b, 5, 0x1e, 4}) + text("k.cu") + bytes({1}) + sum + text("k.cu") +
         bytes({1}) + sum + text("l.cu") + bytes({0}) + sum + text("m.cuh") + bytes({2}) + sum;
}

// set_address; line 10; special opcode +1 word +2 lines; const_add_pc; fixed_advance_pc; end.
const std::string program =
    bytes({0, 9, 2}) + little_endian(0x1234, 8) + bytes({3, 9, 1}) +
    // special: 1 * 14 + (2 + 5) + 10 = 31: address 0x10, line 12
    bytes({31}) +
    // const_add_pc: (255 - 10) / 14 = 17 words: 0x120; advance_line -2; copy
    bytes({8, 3, 0x7e, 1}) +
    // advance_pc 2 words: 0x140; an opcode of ptxas (0x90), an unused standard one (set_file 1)
    bytes({2, 2, 0, 3, 0x90, 1, 2, 4, 1, 1}) +
    // fixed_advance_pc 0x20 bytes: 0x160; end_sequence
    bytes({9, 0x20, 0, 0, 1, 1});
const char* const program_rows = "0x100:10 0x110:12 0x220:10 0x240:10 0x260:0";

std::uint64_t place_of_address(const std::string& section) {
  return section.find("\x34\x12");
}

TEST(DebugLine, ReadsEveryVersion) {
  for (const int version : {2, 3, 4, 5})
    for (const bool wide : {false, true}) {
      const std::string section = unit(version, wide, program);
      const auto table = cubin::read_debug_line(section, {{place_of_address(section), {7, 0x100}}});
      ASSERT_TRUE(table) << table.error().text();
      EXPECT_EQ(rows_of(*table, 7), program_rows) << version << wide;
    }
}

// File 2 from the second row on, file 3 from the third, and one that is not there.
TEST(DebugLine, ReadsFiles) {
  const std::string switches = bytes({0, 9, 2}) + little_endian(0x1234, 8) +
                               bytes({3, 9, 1, 4, 2, 31, 4, 3, 31, 4, 9, 31, 2, 1, 0, 1, 1});
  for (const int version : {2, 3, 4, 5}) {
    const std::string section = unit(version, false, switches);
    const auto table = cubin::read_debug_line(section, {{place_of_address(section), {7, 0}}});
    ASSERT_TRUE(table) << table.error().text();
    EXPECT_EQ(rows_of(*table, 7), "0x0:10 0x10:12 0x20:14 0x30:16 0x40:0");
    // A folder inside the compiler's own stays as it is written.
    EXPECT_EQ(files_of(*table, 7),
              version < 5 ? "/src/k.cu l.cu sub/m.cuh - -" : "/src/k.cu /base/l.cu sub/m.cuh - -");
  }
}

// Names that DWARF 5 keeps in sections of their own: line_strp and strp, of 4 or 8 bytes.
TEST(DebugLine, ReadsNamesOfOtherSections) {
  for (const bool wide : {false, true}) {
    const int size = wide ? 8 : 4;
    const std::string tables = bytes({1, 1, 0x1f, 1}) + little_endian(3, size) +
                               bytes({2, 1, 0x0e, 2, 0x0f, 2}) + little_endian(0, size) +
                               bytes({0}) + little_endian(2, size) + bytes({0});
    const std::string section = unit(5, wide, program, tables);
    const auto table =
        cubin::read_debug_line(section, {{place_of_address(section), {7, 0x100}}},
                               {std::string_view("xx\0/d\0", 6), std::string_view("x\0k.cu\0", 7)});
    ASSERT_TRUE(table) << table.error().text();
    EXPECT_EQ(table->source.files, (std::vector<std::string>{"/d/k.cu"}));
  }
}

TEST(DebugLine, ReadsSeveralUnits) {
  const std::string first = unit(2, false, program), second = unit(5, true, program);
  const auto table = cubin::read_debug_line(
      first + second, {{place_of_address(first), {3, 0x100}},
                       {first.size() + place_of_address(second), {4, 0x100}}});
  ASSERT_TRUE(table);
  EXPECT_EQ(rows_of(*table, 3), program_rows);
  EXPECT_EQ(rows_of(*table, 4), program_rows);
  EXPECT_EQ(rows_of(*table, 5), "none");
}

TEST(DebugLine, WithoutFixupTheAddressIsUnknown) {
  const auto table = cubin::read_debug_line(unit(2, false, program), {});
  ASSERT_TRUE(table);
  EXPECT_TRUE(table->sections.empty());
}

TEST(DebugLine, RowAt) {
  const std::vector<cubin::LineRow> rows = {{0x10, 3}, {0x30, 4}, {0x40, 0}};
  const int expected[] = {0, 3, 3, 4, 0, 0};
  for (std::uint64_t i = 0; i < 6; ++i)
    EXPECT_EQ(cubin::row_at(rows, i * 16).line, expected[i]) << i;
}

TEST(DebugLine, DamageIsAnError) {
  const std::string whole = unit(2, false, program);
  const std::string damaged[] = {
      whole.substr(0, whole.size() - 1),
      unit(6, false, program),
      unit(1, false, program),
      unit(2, false, program, "no end"),
      unit(5, false, program, bytes({0, 1, 0, 0})),
      unit(5, false, program, bytes({1, 1, 0x21, 1})),
      little_endian(12, 4) + little_endian(2, 2) + little_endian(99, 4) + bytes({1, 1, 1, 1, 1, 1}),
      little_endian(4, 4) + little_endian(2, 2) + "xx",
  };
  for (const std::string& section : damaged) {
    const auto read = cubin::read_debug_line(section, {});
    ASSERT_FALSE(read) << testing::PrintToString(section);
    EXPECT_TRUE(read.error().text().starts_with("disassemble: .debug_line at byte 0: "))
        << read.error().text();
  }
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_FALSE(cubin::read_debug_line(whole.substr(0, size), {})) << size;
  EXPECT_TRUE(cubin::read_debug_line("", {}));
}

TEST(DebugLine, DamageNeverCrashes) {
  std::mt19937 random(1);
  const std::string whole = unit(4, false, program) + unit(5, true, program);
  for (int round = 0; round < 50000; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 3; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    (void)cubin::read_debug_line(damaged, {{place_of_address(whole), {1, 0}}});
  }
}

// "//## File "pb", line 12" comes before the instructions of a line in nvdisasm's text. By kernel
// and address: "pb:12", or "" before the first.
std::map<std::string, std::map<std::uint64_t, std::string>> lines_by_nvdisasm(
    const std::string& cubin) {
  const auto folder = base::TempDir::create();
  const std::string file = (folder->path() / "a.cubin").string();
  (void)base::write_file(file, cubin);
  const auto output = base::run_process({test::find_tools()->nvdisasm, "-c", "-g", file});
  std::map<std::string, std::map<std::uint64_t, std::string>> result;
  std::istringstream in(output->out);
  std::string text, entry, line;
  while (std::getline(in, text)) {
    if (text.starts_with("\t.section\t.text.")) {
      entry = text.substr(16, text.find(',') - 16);
      line.clear();
    }
    if (const auto at = text.find("//## File \""); at != std::string::npos) {
      const auto end = text.find("\", line ");
      line = text.substr(at + 11, end - at - 11) + ":" +
             std::to_string(std::stoi(text.substr(end + 8)));
    }
    if (const auto at = text.find("/*"); at != std::string::npos && text.find("*/") == at + 6)
      result[entry][std::stoul(text.substr(at + 2, 4), nullptr, 16)] = line;
  }
  return result;
}

std::string place(const cubin::Cubin& cubin, const cubin::CubinKernel& kernel, std::size_t i) {
  if (kernel.lines[i] == 0) return "";
  return cubin.source.file_of(kernel.frames[i]) + ":" + std::to_string(kernel.lines[i]);
}

TEST(DebugLine, AgreesWithNvdisasm) {
  PHASEBIT_NEEDS_TOOLS();
  const test::RingVerbs barriers = {"bar.sync 1, 64;", "bar.arrive 2, 64;", "bar.sync 2, 64;",
                                    "bar.arrive 1, 64;", "fma.rn.f32 f, f, f, f;"};
  auto unrolled = barriers;
  unrolled.copies = 5;
  for (const char* target :
       {"sm_75", "sm_80", "sm_89", "sm_90a", "sm_100a", "sm_107a", "sm_121a"}) {
    SCOPED_TRACE(target);
    const std::string version = std::string(target) == "sm_107a" ? "9.5" : "9.0";
    const auto bytes =
        assemble({ring(barriers, "k1"), ring(unrolled, "k2")}, target, true, version);
    ASSERT_TRUE(bytes) << bytes.error().text();
    const auto cubin = cubin::read_cubin(*bytes);
    ASSERT_TRUE(cubin) << cubin.error().text();
    auto expected = lines_by_nvdisasm(*bytes);
    ASSERT_EQ(expected.size(), 2U);
    for (const cubin::CubinKernel& kernel : cubin->kernels) {
      ASSERT_EQ(expected[kernel.entry].size(), kernel.size());
      for (std::size_t i = 0; i < kernel.size(); ++i)
        EXPECT_EQ(place(*cubin, kernel, i), expected[kernel.entry][i * 16])
            << kernel.entry << " " << i;
    }
  }
}

// Three files, as nvcc and Triton name them, by ptxas of each toolkit that is there.
TEST(DebugLine, FilesAgreeWithNvdisasm) {
  PHASEBIT_NEEDS_TOOLS();
  const std::string ptx =
      ".version 7.8\n.target sm_80\n.address_size 64\n.file 1 \"/home/u/src/attn.py\"\n"
      ".file 2 \"sub/inc.cuh\", 1700000000, 77\n.file 3 \"plain.cu\"\n"
      ".visible .entry k(.param .u64 p)\n{\n.reg .b64 a;\n.loc 1 10 0\nld.param.u64 a, [p];\n"
      ".loc 2 20 3\nst.global.u32 [a], 7;\n.loc 3 30 1\nret;\n}\n";
  const auto folder = base::TempDir::create();
  const fs::path source = folder->path() / "k.ptx", out = folder->path() / "k.cubin";
  ASSERT_TRUE(base::write_file(source, ptx));
  const auto ran = base::run_process({test::find_tools()->ptxas, "-lineinfo", "-arch", "sm_80",
                                      source.string(), "-o", out.string()});
  ASSERT_TRUE(ran && ran->ok());
  const auto bytes = base::read_file(out);
  const auto cubin = cubin::read_cubin(*bytes);
  ASSERT_TRUE(cubin) << cubin.error().text();
  EXPECT_EQ(cubin->source.files,
            (std::vector<std::string>{"/home/u/src/attn.py", "sub/inc.cuh", "plain.cu"}));
  auto expected = lines_by_nvdisasm(*bytes);
  const cubin::CubinKernel& kernel = cubin->kernels.front();
  for (std::size_t i = 0; i < kernel.size(); ++i)
    EXPECT_EQ(place(*cubin, kernel, i), expected["k"][i * 16]) << i;
}

TEST(DebugLine, CubinWithoutLineTableHasNoLines) {
  PHASEBIT_NEEDS_TOOLS();
  const auto bytes = assemble({ring({"", "", "", ""})}, "sm_90a", false);
  ASSERT_TRUE(bytes);
  const auto cubin = cubin::read_cubin(*bytes);
  ASSERT_TRUE(cubin);
  EXPECT_TRUE(cubin->kernels.front().lines.empty());
}

}  // namespace
}  // namespace phasebit::test
