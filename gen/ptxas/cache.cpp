#include "gen/ptxas/cache.h"

#include "core/base/text.h"

#include <charconv>
#include <unordered_map>

#include <nlohmann/json.hpp>

namespace phasebit::ptxas {

using launch::Resources;

namespace {

std::string kind_of(const std::string& configuration) {
  return "outcome 2 " + configuration;
}

std::string messages_to_text(const std::vector<StatementMessage>& messages) {
  if (messages.empty()) return {};
  nlohmann::json list = nlohmann::json::array();
  for (const StatementMessage& message : messages)
    list.push_back(nlohmann::json::array({message.statement, message.text}));
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<StatementMessage> messages_from_text(std::string_view text) {
  std::vector<StatementMessage> messages;
  if (text.empty()) return messages;
  for (const auto& pair : nlohmann::json::parse(text))
    messages.push_back({pair.at(0).get<int>(), pair.at(1).get<std::string>()});
  return messages;
}

constexpr int Resources::* figures[] = {
    &Resources::registers,         &Resources::static_shared_bytes, &Resources::stack_bytes,
    &Resources::spill_store_bytes, &Resources::spill_load_bytes,    &Resources::barriers};

// With the length of its module. Names and JSON have no tabs.
std::string as_text(const Outcome& outcome, std::size_t module_bytes) {
  std::string text = fmt::format("{}\t{}\t{}\t{}\t{}", outcome.refused ? 1 : 0, outcome.module,
                                 module_bytes, outcome.entry, outcome.text_hash);
  for (const auto figure : figures) text += fmt::format("\t{}", outcome.resources.*figure);
  return text + '\t' + messages_to_text(outcome.messages);
}

template <typename Number>
bool read(std::string_view word, Number& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

struct KeptOutcome {
  Outcome outcome;
  std::uintmax_t module_bytes = 0;
};

// Nothing of another format.
std::optional<KeptOutcome> from_text(const std::string& text) {
  constexpr std::size_t fixed = 5, parts = fixed + std::size(figures) + 1;
  const std::vector<std::string_view> words = base::split(text, '\t');
  KeptOutcome kept;
  if (words.size() != parts || !read(words[2], kept.module_bytes)) return std::nullopt;
  Outcome& outcome = kept.outcome;
  outcome.refused = words[0] == "1";
  outcome.module = words[1];
  outcome.entry = words[3];
  outcome.text_hash = words[4];
  for (std::size_t n = 0; n < std::size(figures); ++n)
    if (!read(words[fixed + n], outcome.resources.*figures[n])) return std::nullopt;
  try {
    outcome.messages = messages_from_text(words.back());
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  return kept;
}

}  // namespace

std::vector<std::optional<Outcome>> find_outcomes(const base::Cache& cache,
                                                  const std::string& configuration,
                                                  const std::vector<std::string>& kernel_hashes) {
  const auto texts = cache.find(kind_of(configuration), kernel_hashes);
  std::vector<std::optional<Outcome>> found(texts.size());
  std::unordered_map<std::string, std::optional<std::uintmax_t>> modules;
  const auto is_there = [&](const KeptOutcome& kept) {
    const auto [module, is_new] = modules.try_emplace(kept.outcome.module);
    if (is_new) module->second = cache.file_bytes(kept.outcome.module);
    return module->second == kept.module_bytes;
  };
  for (std::size_t n = 0; n < texts.size(); ++n) {
    if (!texts[n]) continue;
    auto kept = from_text(*texts[n]);
    if (kept && (kept->outcome.refused || is_there(*kept))) found[n] = std::move(kept->outcome);
  }
  return found;
}

Status keep_outcomes(const base::Cache& cache, const std::string& configuration,
                     const std::vector<std::pair<std::string, Outcome>>& outcomes,
                     const std::map<std::string, std::string>& modules) {
  for (const auto& [hash, code] : modules) PHASEBIT_TRY(cache.add_file(hash, code));
  base::Cache::Entries entries;
  for (const auto& [kernel, outcome] : outcomes) {
    const auto module = modules.find(outcome.module);
    entries.emplace_back(kernel,
                         as_text(outcome, module == modules.end() ? 0 : module->second.size()));
  }
  return cache.add(kind_of(configuration), entries);
}

}  // namespace phasebit::ptxas
