#include "analysis/reading/pipes.h"

#include "core/base/toml.h"
#include "core/rule/rule.h"

#include <algorithm>

namespace phasebit::reading {
namespace {

constexpr std::string_view pipes_toml =
#include "analysis/reading/pipes.toml.inc"
    ;

const std::string other = "other";

std::string stem_of(const std::string& opcode) {
  return opcode.substr(0, opcode.find('.'));
}

bool any_matches(const std::vector<std::string>& patterns, const std::string& stem) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& one) { return rule::opcode_matches(one, stem); });
}

// "a 3, b 2": the most first, then by name; eight at most.
std::string list_most(const std::map<std::string, int>& counts, const char* between) {
  std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < sorted.size() && i < most; ++i)
    text +=
        fmt::format("{}{} {}{}", i == 0 ? "" : ", ", sorted[i].first, between, sorted[i].second);
  return sorted.size() > most ? text + ", ..." : text;
}

}  // namespace

Result<const PipeTable*> PipeTable::get() {
  static const auto table = read(pipes_toml, "analysis/reading/pipes.toml");
  if (!table) return tl::unexpected<Error>(table.error());
  return &*table;
}

Result<PipeTable> PipeTable::read(std::string_view text, const std::string& file) {
  PHASEBIT_TRY_ASSIGN(toml, base::parse_toml(text, file));
  Status status;
  base::TomlReader all(file, toml, "the file", {"key", "pipe"}, status);
  PipeTable table;
  table.key_ = all.words("key");
  for (const base::TomlValue* one : all.tables("pipe")) {
    base::TomlReader row(file, *one, "[[pipe]]", {"name", "opcodes", "sms"}, status);
    Pipe pipe{row.text("name"), row.words("opcodes"), {}};
    for (const std::string& sm : row.words("sms")) pipe.sms.push_back(std::atoi(sm.c_str()));
    table.rows_.push_back(std::move(pipe));
  }
  PHASEBIT_TRY(status);
  return table;
}

const std::string& PipeTable::pipe_of(const std::string& opcode, int sm) const {
  const std::string stem = stem_of(opcode);
  for (const Pipe& row : rows_) {
    const bool there =
        row.sms.empty() || std::find(row.sms.begin(), row.sms.end(), sm) != row.sms.end();
    if (there && any_matches(row.opcodes, stem)) return row.name;
  }
  return other;
}

bool PipeTable::is_key(const std::string& opcode) const {
  return any_matches(key_, stem_of(opcode));
}

std::map<std::string, int> count_pipes(const PipeTable& pipes,
                                       const std::map<std::string, int>& opcodes, int sm) {
  std::map<std::string, int> counts;
  for (const auto& [opcode, count] : opcodes) counts[pipes.pipe_of(opcode, sm)] += count;
  return counts;
}

std::string pipe_mix(const PipeTable& pipes, const std::map<std::string, int>& opcodes, int sm) {
  return list_most(count_pipes(pipes, opcodes, sm), "");
}

std::map<std::string, int> count_key_opcodes(const PipeTable& pipes,
                                             const std::map<std::string, int>& opcodes) {
  std::map<std::string, int> counts;
  for (const auto& [opcode, count] : opcodes)
    if (pipes.is_key(opcode)) counts[stem_of(opcode)] += count;
  return counts;
}

std::string key_opcodes(const PipeTable& pipes, const std::map<std::string, int>& opcodes) {
  return list_most(count_key_opcodes(pipes, opcodes), "x");
}

}  // namespace phasebit::reading
