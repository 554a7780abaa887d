// A protocol whose slots have no words says that nothing is left to read back. Then its verbs may
// not have barriers in shared memory after all.
#include "gen/catalogue/reader.h"
#include "gen/catalogue/template_set.h"

#include <algorithm>
#include <optional>

namespace phasebit {
namespace {

const Word* word_of(const Component& component, const std::string& name) {
  const auto at = std::find_if(component.words.begin(), component.words.end(),
                               [&](const Word& one) { return one.name == name; });
  return at == component.words.end() ? nullptr : &*at;
}

// What speaks of a slot's words, in the text or in a word that it uses; "" where nothing does.
std::string slot_word_in(const Component& component, const std::string& text, int depth = 0) {
  constexpr int most_words_deep = 16;  // words that stand for themselves: rendering says so
  constexpr const char* init = "mbarrier.init";
  if (text.find(init) != std::string::npos) return init;
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
  if (component.protocol.words != 0) return;
  std::vector<const Source*> owners = used_sources(source);
  owners.insert(owners.begin(), &source);
  for (const std::string& verb : component.verbs) {
    const auto owner = std::find_if(owners.begin(), owners.end(),
                                    [&](const Source* one) { return has_template(*one, verb); });
    if (owner == owners.end()) continue;
    const fs::path file = fs::path((*owner)->file).parent_path() / (verb + ".ptx");
    const std::string text = read_file(file).value_or("");
    int line = 0;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      ++line;
      const std::string found = slot_word_in(component, text.substr(begin, end - begin));
      begin = end + 1;
      if (found.empty()) continue;
      const auto files = fact_files(source);
      FactTable slot(catalogue_, files, "slot", {"words", "extra_bytes", "address", "counts_laps"},
                     status_);
      return slot.refuse("words", fmt::format("0, and {}:{} has {}", file.string(), line, found),
                         "write words = 2, and in [verify] how they are read back");
    }
  }
}

}  // namespace phasebit
