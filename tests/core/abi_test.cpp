#include "core/launch/abi.h"

#include "core/base/file.h"
#include "tests/home.h"

#include <map>
#include <regex>
#include <set>

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::KernelParams;
using launch::SampleRecord;
using launch::StatusRecord;

namespace {

using Offsets = std::map<std::string, size_t>;

#define OFFSET(Struct, field) {#field, offsetof(Struct, field)}

const Offsets params = {
    OFFSET(KernelParams, version),        OFFSET(KernelParams, items),
    OFFSET(KernelParams, samples),        OFFSET(KernelParams, status),
    OFFSET(KernelParams, payload_in),     OFFSET(KernelParams, payload_out),
    OFFSET(KernelParams, work_amount),    OFFSET(KernelParams, delay_cycles),
    OFFSET(KernelParams, seed),           OFFSET(KernelParams, zero),
    OFFSET(KernelParams, target_sm),      OFFSET(KernelParams, first_warp),
    OFFSET(KernelParams, guard_limit_ns), OFFSET(KernelParams, ticket),
    OFFSET(KernelParams, start_offset),   OFFSET(KernelParams, gap_after),
    OFFSET(KernelParams, gap_warps),      OFFSET(KernelParams, first_rank),
    OFFSET(KernelParams, second_rank),    OFFSET(KernelParams, load_ctas),
};

std::string source_text(const char* path) {
  auto text = base::read_file(test::home().data / path);
  EXPECT_TRUE(text) << text.error().text();
  return text.value_or("");
}

TEST(KernelAbi, TheHeadersNumbersAreTheOffsets) {
  const std::string header = source_text("core/launch/abi.h");
  const std::regex field(R"((\w+) = [^;\n]*;\s*// \+(\d+)\b)");
  Offsets documented;
  for (std::sregex_iterator at(header.begin(), header.end(), field), end; at != end; ++at)
    documented[(*at)[1]] = std::stoul((*at)[2]);
  EXPECT_EQ(documented, params);
}

// "which says what each is: version, items, ...": templates name the fields, so that no offset
// is in two places.
TEST(KernelAbi, TheTemplatesContractNamesTheSameFields) {
  const std::string contract = source_text("templates/README.md");
  const size_t begin = contract.find("what each is: ");
  ASSERT_NE(begin, std::string::npos);
  const std::string list = contract.substr(begin, contract.find('.', begin) - begin);
  const std::regex field("([a-z_]+)(?:,|$)");
  std::set<std::string> named, fields;
  for (std::sregex_iterator at(list.begin(), list.end(), field), end; at != end; ++at)
    named.insert((*at)[1]);
  for (const auto& [name, offset] : params) fields.insert(name);
  EXPECT_EQ(named, fields);
}

TEST(KernelAbi, NoTemplateNumbersAField) {
  const fs::path templates = base::source_root() / "templates";
  for (const auto& entry : fs::recursive_directory_iterator(templates)) {
    const fs::path file = fs::relative(entry.path(), templates);
    if (file.extension() != ".ptx") continue;
    EXPECT_FALSE(std::regex_search(base::read_file(entry.path()).value(), std::regex(R"(pb\+\d)")))
        << file;
  }
}

// What templates store to by number: the fields in the header's order, without padding.
TEST(KernelAbi, RecordsHaveTheirFieldsWhereTheTemplatesWriteThem) {
  const Offsets sample = {
      OFFSET(SampleRecord, clock_start),   OFFSET(SampleRecord, clock_end),
      OFFSET(SampleRecord, timer_start),   OFFSET(SampleRecord, timer_end),
      OFFSET(SampleRecord, items),         OFFSET(SampleRecord, role),
      OFFSET(SampleRecord, hardware_warp), OFFSET(SampleRecord, sm),
      OFFSET(SampleRecord, phase_errors),  OFFSET(SampleRecord, phases_checked)};
  EXPECT_EQ(sample, (Offsets{{"clock_start", 0},
                             {"clock_end", 8},
                             {"timer_start", 16},
                             {"timer_end", 24},
                             {"items", 32},
                             {"role", 36},
                             {"hardware_warp", 40},
                             {"sm", 44},
                             {"phase_errors", 48},
                             {"phases_checked", 52}}));
  const Offsets status = {OFFSET(StatusRecord, code), OFFSET(StatusRecord, cta)};
  EXPECT_EQ(status, (Offsets{{"code", 0}, {"cta", 4}}));
}

TEST(DescribeStatus, Table) {
  struct Row {
    StatusRecord status;
    const char* text;
  };
  const Row rows[] = {
      {{}, "no fault"},
      {{2, 1}, "cta 1 waited in vain for the other CTAs of its SM"},  // the header's example
      {{9, 1}, "unknown status code 9"},
  };
  for (const Row& row : rows) EXPECT_EQ(launch::describe(row.status), row.text);
}

}  // namespace
}  // namespace phasebit::test
