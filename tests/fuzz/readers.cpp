#include "core/base/text.h"
#include "tests/fuzz/reader.h"

#include <algorithm>

namespace phasebit::test {
namespace {

constexpr FuzzReader readers[] = {
    {"archive", read_fuzzed_archive},
    {"catalogue", read_fuzzed_catalogue},
    {"claims", read_fuzzed_claims},
    {"cubin", read_fuzzed_cubin},
    {"fatbin", read_fuzzed_fatbin},
    {"gate_rules", read_fuzzed_gate_rules},
    {"launch_facts", read_fuzzed_launch_facts},
    {"launch_file", read_fuzzed_launch_file},
    {"launch_notes", read_fuzzed_launch_notes},
    {"life_ranges", read_fuzzed_life_ranges},
    {"manifest", read_fuzzed_manifest},
    {"messages", read_fuzzed_messages},
    {"nvdisasm_json", read_fuzzed_nvdisasm_json},
    {"ptx_check", read_fuzzed_ptx_check},
    {"ptx_file", read_fuzzed_ptx_file},
    {"ptx_guard", read_fuzzed_ptx_guard},
    {"ptx_head", read_fuzzed_ptx_head},
    {"results", read_fuzzed_results},
    {"spec", read_fuzzed_spec},
    {"store", read_fuzzed_store},
    {"table", read_fuzzed_table},
    {"template", read_fuzzed_template},
    {"toml", read_fuzzed_toml},
};

}  // namespace

std::span<const FuzzReader> fuzz_readers() {
  return readers;
}

const FuzzReader* find_fuzz_reader(std::string_view name) {
  const auto* const found = std::find_if(std::begin(readers), std::end(readers),
                                         [&](const FuzzReader& one) { return one.name == name; });
  return found == std::end(readers) ? nullptr : found;
}

void check_refusal(const Error& error, std::initializer_list<Step> steps) {
  if (std::find(steps.begin(), steps.end(), error.step) == steps.end())
    bug("an error of a step that the reader does not have: " + error.text());
  if (error.message.empty()) bug("an error without words");
}

std::map<std::string, std::string> parts_of(std::string_view bytes) {
  constexpr std::string_view mark = "--- ";
  std::map<std::string, std::string> parts;
  std::string* into = &parts[""];
  for (const std::string_view line : base::split(bytes, '\n')) {
    if (line.starts_with(mark))
      (into = &parts[std::string(line.substr(mark.size()))])->clear();
    else
      into->append(line).append("\n");
  }
  return parts;
}

}  // namespace phasebit::test
