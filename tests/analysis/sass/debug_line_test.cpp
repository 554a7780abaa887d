#include "analysis/sass/debug_line.h"

#include "analysis/sass/cubin.h"
#include "core/base/process.h"
#include "tests/analysis/sass/support.h"

#include <random>
#include <sstream>

#include <gtest/gtest.h>

namespace phasebit {
namespace {

using sass_test::assemble;
using sass_test::ring;

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

// A unit around a program, with the header fields that the standard puts in front of the tables.
// Line base -5, line range 14, opcode base 10, minimum instruction length 16 (one SASS word).
std::string unit(int version, bool wide, const std::string& program) {
  std::string fields = bytes({16});
  if (version >= 4) fields += bytes({1});
  fields += bytes({1, -5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1});
  const std::string tables = "tables of folders and files";
  const int offset_size = wide ? 8 : 4;
  std::string body = little_endian(static_cast<std::uint64_t>(version), 2);
  if (version >= 5) body += bytes({8, 0});
  body += little_endian(fields.size() + tables.size(), offset_size) + fields + tables + program;
  return (wide ? little_endian(0xffffffff, 4) : "") + little_endian(body.size(), offset_size) +
         body;
}

std::string rows_of(const LineTable& table, std::size_t section) {
  std::string out;
  if (!table.contains(section)) return "none";
  for (const LineRow& row : table.at(section))
    out += fmt::format("{}{:#x}:{}", out.empty() ? "" : " ", row.address, row.line);
  return out;
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
      const auto table = read_debug_line(section, {{place_of_address(section), {7, 0x100}}});
      ASSERT_TRUE(table) << table.error().text();
      EXPECT_EQ(rows_of(*table, 7), program_rows) << version << wide;
    }
}

TEST(DebugLine, ReadsSeveralUnits) {
  const std::string first = unit(2, false, program), second = unit(5, true, program);
  const auto table =
      read_debug_line(first + second, {{place_of_address(first), {3, 0x100}},
                                       {first.size() + place_of_address(second), {4, 0x100}}});
  ASSERT_TRUE(table);
  EXPECT_EQ(rows_of(*table, 3), program_rows);
  EXPECT_EQ(rows_of(*table, 4), program_rows);
  EXPECT_EQ(rows_of(*table, 5), "none");
}

TEST(DebugLine, WithoutFixupTheAddressIsUnknown) {
  const auto table = read_debug_line(unit(2, false, program), {});
  ASSERT_TRUE(table);
  EXPECT_TRUE(table->empty());
}

TEST(DebugLine, LineAt) {
  const std::vector<LineRow> rows = {{0x10, 3}, {0x30, 4}, {0x40, 0}};
  const int expected[] = {0, 3, 3, 4, 0, 0};
  for (std::uint64_t i = 0; i < 6; ++i) EXPECT_EQ(line_at(rows, i * 16), expected[i]) << i;
}

TEST(DebugLine, DamageIsAnError) {
  const std::string whole = unit(2, false, program);
  const struct {
    std::string section, message;
  } rows[] = {
      {whole.substr(0, whole.size() - 1),
       "disassemble: .debug_line is damaged: a unit is longer than the section"},
      {unit(6, false, program), "disassemble: .debug_line has version 6; 2 to 5 can be read"},
      {unit(1, false, program), "disassemble: .debug_line has version 1; 2 to 5 can be read"},
      {unit(2, false, bytes({3, 0x80})),
       "disassemble: .debug_line is damaged: a line program ends inside an opcode"},
      {little_endian(4, 4) + little_endian(2, 2) + "xx",
       "disassemble: .debug_line is damaged: bad header"},
  };
  for (const auto& row : rows) {
    const auto read = read_debug_line(row.section, {});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().text(), row.message);
  }
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_FALSE(read_debug_line(whole.substr(0, size), {})) << size;
  EXPECT_TRUE(read_debug_line("", {}));
}

TEST(DebugLine, DamageNeverCrashes) {
  std::mt19937 random(1);
  const std::string whole = unit(4, false, program) + unit(5, true, program);
  for (int round = 0; round < 50000; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 3; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    (void)read_debug_line(damaged, {{place_of_address(whole), {1, 0}}});
  }
}

// "//## File "pb", line 12" stands before the instructions of a line in nvdisasm's text.
std::map<std::string, std::map<std::uint64_t, int>> lines_by_nvdisasm(const std::string& cubin) {
  const auto folder = TempDir::create();
  const std::string file = (folder->path() / "a.cubin").string();
  (void)write_file(file, cubin);
  const auto output = run_process({sass_test::find_tools()->nvdisasm, "-c", "-g", file});
  std::map<std::string, std::map<std::uint64_t, int>> result;
  std::istringstream in(output->out);
  std::string text, entry;
  int line = 0;
  while (std::getline(in, text)) {
    if (text.starts_with("\t.section\t.text.")) {
      entry = text.substr(16, text.find(',') - 16);
      line = 0;
    }
    if (const auto at = text.find("\", line "); text.find("//##") != std::string::npos)
      line = std::stoi(text.substr(at + 8));
    if (const auto at = text.find("/*"); at != std::string::npos && text.find("*/") == at + 6)
      result[entry][std::stoul(text.substr(at + 2, 4), nullptr, 16)] = line;
  }
  return result;
}

TEST(DebugLine, AgreesWithNvdisasm) {
  PHASEBIT_NEEDS_TOOLS();
  const sass_test::RingVerbs barriers = {"bar.sync 1, 64;", "bar.arrive 2, 64;", "bar.sync 2, 64;",
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
    const auto cubin = read_cubin(*bytes);
    ASSERT_TRUE(cubin) << cubin.error().text();
    auto expected = lines_by_nvdisasm(*bytes);
    ASSERT_EQ(expected.size(), 2U);
    for (const CubinKernel& kernel : cubin->kernels) {
      ASSERT_EQ(expected[kernel.entry].size(), kernel.size());
      for (std::size_t i = 0; i < kernel.size(); ++i)
        EXPECT_EQ(kernel.lines[i], expected[kernel.entry][i * 16]) << kernel.entry << " " << i;
    }
  }
}

TEST(DebugLine, CubinWithoutLineTableHasNoLines) {
  PHASEBIT_NEEDS_TOOLS();
  const auto bytes = assemble({ring({"", "", "", ""})}, "sm_90a", false);
  ASSERT_TRUE(bytes);
  const auto cubin = read_cubin(*bytes);
  ASSERT_TRUE(cubin);
  EXPECT_TRUE(cubin->kernels.front().lines.empty());
}

}  // namespace
}  // namespace phasebit
