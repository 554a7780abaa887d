// Kernels of attackers, in text: what check must say of each.
#include "analysis/protocol/check.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/ptx/run/machine.h"
#include "tests/home.h"

#include <array>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace phasebit::test {

using protocol::Checked;

namespace {

// "==== NAME: VERDICT" or "==== NAME: VERDICT: KIND OF THE FIRST FINDING", then the kernel; a line
// "# --grid 2 --block 32 --cluster 2" before it where the launch is another than one CTA of 64
// threads.
struct Attack {
  std::string name, verdict, kind, text;
  int grid = 1, block = 64, cluster = 1;
};

std::vector<Attack> attacks_of(const std::string& name) {
  const auto text = base::read_file(home().data / "tests" / "protocol" / name);
  EXPECT_TRUE(text) << name;
  static const std::regex heading(R"(==== (\w+): (\w+)(?:: (.*))?)");
  static const std::regex launch(R"(# --grid (\d+) --block (\d+)(?: --cluster (\d+))?)");
  std::vector<Attack> all;
  std::istringstream lines(text.value_or(""));
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("====")) {
      EXPECT_TRUE(std::regex_match(line, found, heading)) << line;
      all.push_back({found[1], found[2], found[3], "", 1, 64, 1});
    } else if (all.empty()) {
    } else if (std::regex_match(line, found, launch)) {
      all.back().grid = std::stoi(found[1]);
      all.back().block = std::stoi(found[2]);
      if (found[3].matched) all.back().cluster = std::stoi(found[3]);
    } else {
      all.back().text += line + "\n";
    }
  }
  return all;
}

Checked check_attack(const Attack& attack) {
  const auto file = ptx::read_ptx(attack.text, attack.name + ".ptx");
  EXPECT_TRUE(file) << file.error().text();
  if (!file || file->entries().empty()) return {};
  const ptx::PtxFunction& entry = *file->entries().front();
  ptx::run::RunLaunch launch;
  launch.grid = {attack.grid, 1, 1};
  launch.block = {attack.block, 1, 1};
  launch.cluster = {attack.cluster, 1, 1};
  if (const auto program = ptx::run::decode(*file, entry); program && program->cluster[0] > 0)
    launch.cluster = program->cluster;
  // Each parameter is a buffer of its own.
  for (std::size_t n = 0; n < entry.parameters.size(); ++n) {
    launch.buffers.push_back({entry.parameters[n].name, 4096, {}});
    ptx::run::put_parameter(launch, 8 * n, ptx::run::address_of_buffer(n), 8);
  }
  protocol::CheckOptions options;
  options.most_steps = 1'000'000;
  return protocol::check(*file, entry, launch, options);
}

std::string first_kind(const Checked& checked) {
  for (const Checked::Found& one : checked.found)
    if (one.grade != ptx::run::Grade::note) return to_string(one.kind);
  return "";
}

TEST(CheckAttacks, HaveTheirVerdict) {
  const std::vector<Attack> all = attacks_of("attacks.txt");
  EXPECT_GE(all.size(), 527U);
  std::vector<Checked> checked(all.size());
  base::parallel_for(all.size(), 0, [&](std::size_t n) { checked[n] = check_attack(all[n]); });
  for (std::size_t n = 0; n < all.size(); ++n) {
    EXPECT_EQ(to_string(checked[n].verdict), all[n].verdict) << all[n].name << "\n"
                                                             << text_of(checked[n]);
    if (!all[n].kind.empty()) {
      EXPECT_EQ(first_kind(checked[n]), all[n].kind) << all[n].name << "\n" << text_of(checked[n]);
    }
  }
}

}  // namespace
}  // namespace phasebit::test
