// What a component takes over from the one it uses, the templates it must have, and what these may
// say of its slots.
#include "core/base/text.h"
#include "gen/space/catalogue.h"
#include "gen/space/fact_table.h"
#include "gen/space/reader.h"
#include "gen/space/template_set.h"

#include <algorithm>
#include <set>

namespace phasebit::space {

using base::contains;
using base::nearest_word_hint;
using base::TomlReader;

namespace {

// `base` before `own`.
template <typename T>
void put_before(std::vector<T>& own, const std::vector<T>& base) {
  own.insert(own.begin(), base.begin(), base.end());
}

// Those of `base` whose name `own` does not have.
template <typename T>
void take_over(std::vector<T>& own, const std::vector<T>& base) {
  const std::vector<T> mine = own;
  for (const T& one : base)
    if (std::none_of(mine.begin(), mine.end(),
                     [&](const T& other) { return other.name == one.name; }))
      own.push_back(one);
}

std::vector<std::string> templates_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing))
    if (entry.path().extension() == ".ptx") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

// What the templates in these folders ask for by {{> name}}.
std::set<std::string> included_by(const std::vector<fs::path>& folders) {
  std::set<std::string> names;
  for (const fs::path& folder : folders)
    for (const std::string& name : templates_in(folder))
      for (const Tag& tag : tags_of(base::read_file(folder / (name + ".ptx")).value_or("")))
        if (tag.kind == '>') names.insert(tag.name);
  return names;
}

}  // namespace

const Component* CatalogueReader::used_by(const Component& component, ComponentKind kind) const {
  if (component.uses.empty()) return nullptr;
  for (const Component& other : catalogue_.components(kind))
    if (other.name == component.uses) return &other;
  return nullptr;
}

void CatalogueReader::read_uses(const Source& source) {
  if (source.is_common) return;
  TomlReader reader = top(source);
  Component& component = component_of(source);
  component.uses = reader.text_or("uses", {});
  read_verbs(source);
  if (component.uses.empty()) return;
  std::vector<std::string> others;
  for (const Component& other : catalogue_.components(source.kind))
    if (other.name != component.name) others.push_back(other.name);
  if (contains(others, component.uses)) return;
  const Error* folder = catalogue_.vocabulary_.explained(
      fmt::format("{}/{}", to_string(source.kind), component.uses));
  reader.refuse("uses", fmt::format("no other {} '{}'", to_string(source.kind), component.uses),
                folder != nullptr ? folder->hint : nearest_word_hint(component.uses, others));
}

// Each takes over from one that takes over from no component that it helps.
void CatalogueReader::check_uses(const Source& source) {
  const Component& component = component_of(source);
  std::vector<std::string> chain = {component.name};
  for (const Component* base = used_by(component, source.kind); base != nullptr;
       base = used_by(*base, source.kind)) {
    const bool is_circle = base == &component;
    if (!is_circle && contains(chain, base->name)) return;  // of others: each says it itself
    chain.push_back(base->name);
    if (is_circle)
      return top(source).refuse("uses", fmt::format("uses itself: {}", fmt::join(chain, " -> ")));
  }
}

std::vector<const CatalogueReader::Source*> CatalogueReader::used_sources(const Source& source) {
  std::vector<const Source*> all;
  const Component* base = source.is_common ? nullptr : used_by(component_of(source), source.kind);
  for (; base != nullptr; base = used_by(*base, source.kind))
    for (const Source& other : sources_)
      if (!other.is_common && other.kind == source.kind && &component_of(other) == base)
        all.push_back(&other);
  return all;
}

void CatalogueReader::read_verbs(const Source& source) {
  if (source.kind == ComponentKind::probe) return;
  TomlReader reader = top(source);
  const std::vector<std::string>& known = component_verbs(source.kind);
  component_of(source).verbs = reader.words("verbs");
  for (const char* key : {"verbs", "empty"})
    for (const std::string& verb : reader.words(key))
      if (!contains(known, verb))
        reader.refuse(key, fmt::format("no verb '{}'", verb), nearest_word_hint(verb, known));
}

bool CatalogueReader::has_template(const Source& source, const std::string& verb) const {
  return fs::exists(fs::path(source.file).parent_path() / (verb + ".ptx"));
}

// Of the verbs that it lists itself: those taken over are their owner's matter.
void CatalogueReader::check_verbs(const Source& source) {
  if (source.is_common || source.kind == ComponentKind::probe) return;
  const std::vector<const Source*> used = used_sources(source);
  TomlReader reader = top(source);
  for (const std::string& verb : reader.words("verbs")) {
    const auto has = [&](const Source* other) { return has_template(*other, verb); };
    if (has(&source) || std::any_of(used.begin(), used.end(), has)) continue;
    return reader.refuse(
        "verbs",
        fmt::format("{} '{}' declares the verb '{}' and has no {}.ptx", to_string(source.kind),
                    component_of(source).name, verb, verb),
        nearest_word_hint(verb, templates_in(fs::path(source.file).parent_path())));
  }
}

// A file that is never asked for is a verb misspelt, or one that the list has forgotten.
void CatalogueReader::check_files(const Source& source) {
  const fs::path own =
      source.is_common ? templates_ / "common" : fs::path(source.file).parent_path();
  const Component& component = component_of(source);
  std::vector<fs::path> askers = {own, templates_ / "common"};
  for (const Source* used : used_sources(source))
    askers.push_back(fs::path(used->file).parent_path());
  const bool is_probe = !source.is_common && source.kind == ComponentKind::probe;
  if (source.is_common) askers.push_back(templates_ / "anchors");
  // A probe comes first: it may replace a file of its own that any other asks for.
  if (source.is_common || is_probe)
    for (const Source& other : sources_) askers.push_back(fs::path(other.file).parent_path());
  std::set<std::string> wanted = included_by(askers);
  wanted.insert(component.verbs.begin(), component.verbs.end());
  if (is_probe) wanted.insert("kernel");
  for (const std::string& name : templates_in(own)) {
    if (wanted.contains(name)) continue;
    const bool unlisted = !source.is_common && contains(component_verbs(source.kind), name);
    const std::string file = fmt::format("{}/{}.ptx", own.filename().string(), name);
    return top(source).refuse(
        unlisted ? "verbs" : "",
        fmt::format("{} is {}", file,
                    unlisted ? "no verb of the list" : "neither a verb nor asked for by {{> }}"),
        unlisted ? fmt::format("add \"{}\" to verbs", name)
                 : nearest_word_hint(name, {wanted.begin(), wanted.end()}));
  }
}

// What takes over from no other comes first: what it has is whole before others take it.
void CatalogueReader::inherit_all() {
  if (!status_) return;  // there may be circles
  std::vector<const Source*> order;
  for (const Source& source : sources_) order.push_back(&source);
  std::stable_sort(order.begin(), order.end(), [&](const Source* a, const Source* b) {
    return used_sources(*a).size() < used_sources(*b).size();
  });
  for (const Source* source : order)
    if (status_) inherit(*source);
}

// Axes that it does not declare itself come first, with those it does declare in the place that
// they have there. Gates speak of a template: where the component has its own, or the verb is
// empty, they do not hold.
void CatalogueReader::inherit(const Source& source) {
  Component& own = component_of(source);
  inherit_from_base(source);
  if (source.is_common || source.kind == ComponentKind::probe) return;
  for (const std::string& verb : top(source).words("empty")) {
    std::erase(own.verbs, verb);
    std::erase_if(own.gates, [&](const GateDeclaration& gate) { return gate.verb == verb; });
  }
}

void CatalogueReader::inherit_from_base(const Source& source) {
  Component& own = component_of(source);
  if (own.uses.empty()) return;
  const Component& base = *used_by(own, source.kind);
  std::vector<Axis> axes = base.axes;
  for (Axis& axis : own.axes) {
    const auto same = std::find_if(axes.begin(), axes.end(),
                                   [&](const Axis& other) { return other.name == axis.name; });
    if (same == axes.end())
      axes.push_back(std::move(axis));
    else
      *same = std::move(axis);
  }
  own.axes = std::move(axes);
  take_over(own.words, base.words);
  take_over(own.names, base.names);
  for (const std::string& verb : base.verbs)
    if (!contains(own.verbs, verb)) own.verbs.push_back(verb);
  put_before(own.rules, base.rules);
  put_before(own.needs, base.needs);
  const std::vector<std::string> empty = top(source).words("empty");
  std::vector<GateDeclaration> gates;
  for (const GateDeclaration& gate : base.gates)
    if (gate.verb == "*" || (!has_template(source, gate.verb) && !contains(empty, gate.verb)))
      gates.push_back(gate);
  put_before(own.gates, gates);
  if (own.covers.empty()) own.covers = base.covers;
  if (own.covers_ptxas.empty()) own.covers_ptxas = base.covers_ptxas;
}

// What a protocol says of its slots against its verbs. Slots without words leave nothing to read
// back: then no verb has a barrier in shared memory. Words that are counts are not mbarriers.

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
                             "write \"phases\": the word of an mbarrier is not a count");
      }
      FactTable slot(catalogue_, files, "slot", {"words", "extra_bytes", "address", "counts_laps"},
                     status_);
      return slot.refuse("words", fmt::format("0, and {}:{} has {}", file.string(), line, found),
                         "write words = 2, and in [verify] how they are read back");
    }
  }
}

}  // namespace phasebit::space
