// What a protocol says of its slots against its verbs. Slots without words leave nothing to read
// back: then no verb has a barrier in shared memory. Words that are counts are no mbarriers.
#include "gen/catalogue/reader.h"
#include "gen/catalogue/template_set.h"

#include <algorithm>
#include <optional>

namespace phasebit::catalogue {
namespace {

constexpr const char* mbarrier_init = "mbarrier.init";

const Word* word_of(const Component& component, const std::string& name) {
  const auto at = std::find_if(component.words.begin(), component.words.end(),
                               [&](const Word& one) { return one.name == name; });
  return at == component.words.end() ? nullptr : &*at;
}

// What speaks of a slot's words, in the text or in a word that it uses; "" where nothing does.
std::string slot_word_in(const Component& component, const std::string& text, int depth = 0) {
  constexpr int most_words_deep = 16;  // words that stand for themselves: rendering says so
  if (text.find(mbarrier_init) != std::string::npos) return mbarrier_init;
  for (const Tag& tag : tags_of(text)) {
    for (const char* name : {"barrier", "full_barrier", "empty_barrier"})
      if (tag.kind == ' ' && tag.name == name) return "{{" + tag.name + "}}";
    const Word* word = tag.kind == ' ' ? word_of(component, tag.name) : nullptr;
    if (word == nullptr || depth == most_words_deep) continue;
    std::string found = slot_word_in(component, word->text, depth + 1);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace

void CatalogueReader::check_slot(const Source& source) {
  if (source.is_common || source.kind != ComponentKind::protocol) return;
  const Component& component = component_of(source);
  const ProtocolFacts& facts = component.protocol;
  const bool counts = facts.read_full == ReadBack::count || facts.read_empty == ReadBack::count;
  if (facts.words != 0 && !counts) return;
  std::vector<const Source*> owners = used_sources(source);
  owners.insert(owners.begin(), &source);
  for (const std::string& verb : component.verbs) {
    const auto owner = std::find_if(owners.begin(), owners.end(),
                                    [&](const Source* one) { return has_template(*one, verb); });
    if (owner == owners.end()) continue;
    const fs::path file = fs::path((*owner)->file).parent_path() / (verb + ".ptx");
    const std::string text = base::read_file(file).value_or("");
    int line = 0;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      ++line;
      const std::string found = slot_word_in(component, text.substr(begin, end - begin));
      begin = end + 1;
      if (found.empty() || (facts.words != 0 && found != mbarrier_init)) continue;
      const auto files = fact_files(source);
      if (facts.words != 0) {
        FactTable verify(catalogue_, files, "verify", {"full", "empty", "empty_in_all"}, status_);
        return verify.refuse(facts.read_full == ReadBack::count ? "full" : "empty",
                             fmt::format("count, and {}:{} has {}", file.string(), line, found),
                             "write \"phases\": the word of an mbarrier is no count");
      }
      FactTable slot(catalogue_, files, "slot", {"words", "extra_bytes", "address", "counts_laps"},
                     status_);
      return slot.refuse("words", fmt::format("0, and {}:{} has {}", file.string(), line, found),
                         "write words = 2, and in [verify] how they are read back");
    }
  }
}

}  // namespace phasebit::catalogue
