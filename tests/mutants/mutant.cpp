#include "tests/mutants/mutant.h"

#include "core/base/toml_table.h"

#include <algorithm>

namespace phasebit::test {
namespace {

std::vector<std::string> words_of(const toml::table& table, const char* key) {
  std::vector<std::string> words;
  if (const toml::array* list = table[key].as_array())
    for (const toml::node& word : *list) words.push_back(word.value_or(std::string()));
  return words;
}

Mutant mutant_of(const toml::table& table) {
  const auto text = [&](const char* key) { return table[key].value_or(std::string()); };
  return {text("name"),
          text("fault"),
          text("variant"),
          text("role"),
          text("verb"),
          text("find"),
          text("edit"),
          table["every"].value_or(false),
          words_of(table, "lines"),
          words_of(table, "hangs"),
          words_of(table, "fails")};
}

bool is_external(const Mutant& mutant) {
  const bool edits = mutant.edit == "drop" || mutant.edit == "double" ||
                     (mutant.edit == "replace" && !mutant.lines.empty());
  return edits && !mutant.name.empty() && !mutant.fault.empty() && !mutant.variant.empty() &&
         !mutant.verb.empty() && !mutant.find.empty() &&
         (!mutant.hangs.empty() || !mutant.fails.empty());
}

bool holds_all(const std::string& text, const std::vector<std::string>& parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return text.find(part) != std::string::npos; });
}

// The one that gave up first names the barrier; the others their place alone.
bool is_named(const std::string& report, const std::vector<std::string>& parts) {
  const std::vector<std::string> place(
      parts.begin(), parts.begin() + std::min<std::ptrdiff_t>(2, std::ssize(parts)));
  for (std::size_t begin = 0; begin < report.size();) {
    const std::size_t end = std::min(report.find("; ", begin), report.size());
    const std::string sentence = report.substr(begin, end - begin);
    const bool first = sentence.find("deadlock") != std::string::npos;
    if (holds_all(sentence, first ? parts : place)) return true;
    begin = end + 2;
  }
  return false;
}

}  // namespace

Result<std::vector<Mutant>> read_mutants(const fs::path& file) {
  toml::table read;
  try {
    read = toml::parse_file(file.string());
  } catch (const toml::parse_error& error) {
    return fail(Step::usage, "{}: {}", file.string(), error.description());
  }
  std::vector<Mutant> mutants;
  if (const toml::array* list = read["mutant"].as_array())
    for (const toml::node& entry : *list)
      if (const toml::table* table = entry.as_table()) mutants.push_back(mutant_of(*table));
  for (const Mutant& mutant : mutants)
    if (!is_external(mutant))
      return fail(Step::usage, "{}: mutant '{}' lacks a key", file.string(), mutant.name);
  return mutants;
}

Status put_fault(const Mutant& mutant, ptxas::Kernel& kernel) {
  std::vector<std::string> statements;
  launch::SourceMap source;
  int found = 0;
  const auto keep = [&](const std::string& statement, const launch::SourceLine& line) {
    statements.push_back(statement);
    source.push_back(line);
  };
  for (std::size_t i = 0; i < kernel.statements.size(); ++i) {
    const std::string& statement = kernel.statements[i];
    const launch::SourceLine& line = kernel.source[i];
    const bool meant = line.verb == mutant.verb && line.role == mutant.role &&
                       statement.find(mutant.find) != std::string::npos;
    if (!meant) {
      keep(statement, line);
      continue;
    }
    ++found;
    if (mutant.edit == "double") keep(statement, line);
    if (mutant.edit == "double") keep(statement, line);
    if (mutant.edit == "replace")
      for (const std::string& instead : mutant.lines) keep(instead, line);
  }
  if (found == 0 || (found > 1 && !mutant.every))
    return fail(Step::usage, "{}: '{}' is in {} statements of {} {}", mutant.name, mutant.find,
                found, mutant.role, mutant.verb);
  kernel.statements = std::move(statements);
  kernel.source = std::move(source);
  return {};
}

std::string why_not_caught(const Mutant& mutant, const std::string& error) {
  if (error.empty()) return "was measured as if it were sound";
  if (error.starts_with("guard: ") && !mutant.hangs.empty() && is_named(error, mutant.hangs))
    return {};
  if (error.starts_with("verify: ") && !mutant.fails.empty() && holds_all(error, mutant.fails))
    return {};
  return "was reported as: " + error;
}

}  // namespace phasebit::test
