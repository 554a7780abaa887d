#include "analysis/disassembly/derived_cache.h"

#include "core/base/hash.h"

namespace phasebit::disassembly {
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
