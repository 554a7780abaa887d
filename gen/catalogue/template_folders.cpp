#include "gen/catalogue/template_folders.h"

#include "gen/catalogue/verbs.h"

#include <algorithm>

namespace phasebit::catalogue {
namespace {

std::string folder_of(ComponentKind kind, const std::string& name) {
  return fmt::format("{}/{}", folder_of(kind), name);
}

// Its words are what components may replace, so its files have none of their own.
constexpr const char* common = "common";

bool is_verb_of(ComponentKind kind, const std::string& name) {
  const std::vector<std::string>& verbs = component_verbs(kind);
  return std::find(verbs.begin(), verbs.end(), name) != verbs.end();
}

}  // namespace

const char* suffix_of(Language language) {
  switch (language) {
    case Language::ptx: return ".ptx";
    case Language::ir: return ".ll";
  }
  bug("unknown language");
}

std::string folder_of(ComponentKind kind) {
  return fmt::format("{}{}", to_string(kind), kind == ComponentKind::work ? "" : "s");
}

Result<TemplateFolders> TemplateFolders::of(const Catalogue& catalogue,
                                            const Combination& combination) {
  const std::string* const names[] = {&combination.probe, &combination.protocol, &combination.mover,
                                      &combination.work};
  TemplateFolders out;
  for (const ComponentKind kind : component_kinds) {
    const std::string& name = *names[static_cast<size_t>(kind)];
    const Component* component = catalogue.find(kind, name);
    if (component == nullptr) return fail(Step::render, "no {} '{}'", to_string(kind), name);
    out.folders_.push_back({folder_of(kind, name), kind, component});
    for (const Component* base = component; !base->uses.empty();) {
      base = catalogue.find(kind, base->uses);
      out.folders_.push_back({folder_of(kind, base->name), kind, component});
    }
  }
  out.folders_.push_back({common, ComponentKind::probe, &catalogue.common()});
  return out;
}

std::vector<std::string> TemplateFolders::names() const {
  std::vector<std::string> all;
  for (const Folder& folder : folders_) all.push_back(folder.name);
  return all;
}

std::optional<fs::path> TemplateFolders::find(const fs::path& templates, const std::string& name,
                                              const std::string& behind, Language language) const {
  bool reached = behind.empty();
  for (const Folder& folder : folders_) {
    if (!reached) {
      reached = folder.name == behind;
      continue;
    }
    if (is_verb_of(folder.kind, name) && !folder.component->has_verb(name)) continue;
    fs::path file = fs::path(folder.name) / (name + suffix_of(language));
    if (fs::exists(templates / file)) return file;
  }
  return {};
}

const Word* TemplateFolders::word(std::string_view name, const std::string& folder) const {
  const Word* first = nullptr;
  for (const Folder& one : folders_)
    for (const Word& word : one.component->words) {
      if (word.name != name) continue;
      if (one.name == folder && folder != common) return &word;
      if (first == nullptr) first = &word;
    }
  return first;
}

std::vector<const Word*> TemplateFolders::words() const {
  std::vector<const Word*> all;
  for (const Folder& folder : folders_)
    for (const Word& word : folder.component->words) all.push_back(&word);
  return all;
}

}  // namespace phasebit::catalogue
