#include "analysis/disassembly/cache.h"

#include "analysis/cubin/instruction.h"
#include "core/base/hash.h"

#include <algorithm>

namespace phasebit::disassembly {

using base::content_hash;

namespace {

// Of what stands behind the first line. Another number makes all older files unreadable.
constexpr std::string_view magic = "phasebit disassembly 3 ";

// Takes the next piece of a text up to a mark, which is left out; false when there is no mark.
bool take(std::string_view& text, char mark, std::string& piece) {
  const std::size_t end = text.find(mark);
  if (end == std::string_view::npos) return false;
  piece = text.substr(0, end);
  text.remove_prefix(end + 1);
  return true;
}

// The body of a file: an instruction a line.
std::string to_body(const DisassembledFunction& function) {
  std::string body;
  for (const DisassembledInstruction& one : function.instructions)
    for (const auto& [part, mark] : {std::pair(&one.predicate, '\t'), std::pair(&one.opcode, '\t'),
                                     std::pair(&one.operands, '\n')}) {
      body += *part;
      body += mark;
    }
  return body;
}

// A listing in which these marks stand inside a part cannot be kept.
bool can_be_kept(const DisassembledFunction& function) {
  constexpr const char* marks = "\t\n";
  return std::none_of(function.instructions.begin(), function.instructions.end(),
                      [&](const DisassembledInstruction& one) {
                        return (one.predicate + one.opcode + one.operands).find_first_of(marks) !=
                               std::string::npos;
                      });
}

}  // namespace

Result<DisassemblyCache> DisassemblyCache::open(const fs::path& folder,
                                                const std::string& nvdisasm_version) {
  PHASEBIT_TRY(base::make_folder(folder / nvdisasm_version));
  return DisassemblyCache(folder / nvdisasm_version);
}

fs::path DisassemblyCache::file_of(int sm, std::string_view code) const {
  const std::string key = content_hash(code);
  return folder_ / fmt::format("sm_{}", sm) / key.substr(0, 2) / (key + ".txt");
}

std::optional<DisassembledFunction> DisassemblyCache::find(int sm, std::string_view code) const {
  const auto content = base::read_file(file_of(sm, code));
  if (!content) return std::nullopt;
  std::string_view text = *content;
  std::string header;
  if (!take(text, '\n', header) || header != std::string(magic) + content_hash(text))
    return std::nullopt;
  const std::size_t count = code.size() / cubin::instruction_bytes;
  DisassembledFunction function{{}, 0, code.size(), {}};
  function.instructions.reserve(count);
  for (DisassembledInstruction one; take(text, '\t', one.predicate) &&
                                    take(text, '\t', one.opcode) && take(text, '\n', one.operands);)
    function.instructions.push_back(one);
  if (function.instructions.size() != count) return std::nullopt;
  return function;
}

Status DisassemblyCache::add(int sm, std::string_view code,
                             const DisassembledFunction& function) const {
  const bool whole = function.start == 0 && function.length == code.size();
  if (!whole || !can_be_kept(function)) return {};
  const std::string body = to_body(function);
  return base::write_file(file_of(sm, code), std::string(magic) + content_hash(body) + '\n' + body);
}

namespace {

constexpr std::string_view derived_magic = "phasebit derived 1 ";

std::string header_of(const std::string& program, std::string_view body) {
  return fmt::format("{}{} {}\n", derived_magic, program, base::content_hash(body));
}

}  // namespace

DerivedCache::DerivedCache(fs::path folder, std::string program)
    : folder_(std::move(folder)), program_(std::move(program)) {}

fs::path DerivedCache::file_of(const std::string& module) const {
  return folder_ / module.substr(0, 2) / (module + ".txt");
}

DerivedCache::Entries DerivedCache::find(const std::string& module) const {
  Entries entries;
  const auto content =
      program_.empty() ? fail(Step::io, "no program") : base::read_file(file_of(module));
  if (!content) return entries;
  std::string_view text = *content;
  const std::size_t body = text.find('\n') + 1;
  if (body == 0 || text.substr(0, body) != header_of(program_, text.substr(body))) return entries;
  for (text.remove_prefix(body); !text.empty();) {
    const std::size_t tab = text.find('\t'), end = text.find('\n');
    if (tab == std::string_view::npos || end == std::string_view::npos || end < tab) return {};
    entries.emplace(text.substr(0, tab), text.substr(tab + 1, end - tab - 1));
    text.remove_prefix(end + 1);
  }
  return entries;
}

Status DerivedCache::add(const std::string& module, const Entries& entries) const {
  if (program_.empty()) return {};
  Entries all = find(module);
  for (const auto& [key, value] : entries)
    if ((key + value).find_first_of("\t\n") == std::string::npos) all.insert_or_assign(key, value);
  std::string body;
  for (const auto& [key, value] : all) body += fmt::format("{}\t{}\n", key, value);
  return base::write_file(file_of(module), header_of(program_, body) + body);
}

}  // namespace phasebit::disassembly
