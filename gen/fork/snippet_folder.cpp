#include "gen/fork/snippet_folder.h"

#include "core/isa/targets.h"
#include "gen/catalogue/template_folders.h"
#include "gen/catalogue/verbs.h"
#include "gen/fork/snippet.h"
#include "gen/space/hand_made.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

namespace phasebit::fork {

using catalogue::component_kinds;
using catalogue::ComponentKind;
using catalogue::folder_of;

namespace {

using nlohmann::json;

// JSON's texts, lists and numbers are TOML's too.
std::string toml_of(const auto& value) {
  return json(value).dump();
}

// [[gate]] of the verb; counts of one path in one table.
std::string gate_text(const rule::VerbRule& rule) {
  std::string text = fmt::format("[[gate]]\nverb = {}\n", toml_of(rule.verb));
  for (const rule::Path path : rule::all_paths) {
    std::string counts;
    for (const rule::OpcodeRule& one : rule.require)
      if (one.path == path)
        counts += fmt::format("{}{} = \"{}..{}\"", counts.empty() ? " " : ", ",
                              toml_of(one.pattern), one.count.low, one.count.high);
    if (!counts.empty()) text += fmt::format("{} = {{{} }}\n", rule::to_string(path), counts);
  }
  if (!rule.forbid.empty()) text += fmt::format("forbid = {}\n", toml_of(rule.forbid));
  return text;
}

std::string needs_text(const Snippet& snippet) {
  const isa::Target& target = snippet.target;
  if (target.sm == 0) return {};
  const std::string which = target.suffix.empty() ? fmt::format("sm = {}", target.sm)
                                                  : fmt::format("target = \"{}\"", target.name);
  return fmt::format("[[needs]]\nptx = \"{}\"\n{}\n", snippet.ptx.text(), which);
}

// `families`: all, for a component that speaks of none.
std::string component_text(const catalogue::Component& parent, ComponentKind kind,
                           const std::vector<Snippet>& snippets,
                           const std::vector<std::string>& families) {
  std::vector<std::string> verbs;
  std::string tables;
  for (const Snippet& snippet : snippets) {
    if (catalogue::kind_of_verb(snippet.verb) != kind) continue;
    verbs.push_back(snippet.verb);
    tables += gate_text(snippet.gate) + needs_text(snippet);
  }
  const std::string covers =
      parent.covers.empty() ? fmt::format("covers = {}\n", toml_of(families)) : std::string();
  return fmt::format("uses = {}\nverbs = {}\n{}{}", toml_of(parent.name), toml_of(verbs), covers,
                     tables);
}

class Folder {
 public:
  Folder(const fs::path& templates, const fs::path& out)
      : templates_(fs::absolute(templates)), out_(out) {}

  void link_templates() {
    for (const auto& entry : fs::directory_iterator(templates_))
      if (!is_component_folder(entry.path().filename())) link(entry.path(), out_);
    for (const ComponentKind kind : component_kinds) {
      fs::create_directory(out_ / folder_of(kind));
      for (const auto& entry : fs::directory_iterator(templates_ / folder_of(kind)))
        link(entry.path(), out_ / folder_of(kind));
    }
  }

  Status add(ComponentKind kind, const std::string& name, const std::string& text,
             const std::vector<Snippet>& snippets) {
    const fs::path folder = out_ / folder_of(kind) / name;
    PHASEBIT_TRY(
        base::write_file(folder / fmt::format("{}.toml", catalogue::to_string(kind)), text));
    // By a link, so that messages name the user's own file.
    for (const Snippet& snippet : snippets)
      if (catalogue::kind_of_verb(snippet.verb) == kind)
        fs::create_symlink(fs::absolute(snippet.path), folder / (snippet.verb + ".ptx"));
    return {};
  }

 private:
  static bool is_component_folder(const fs::path& name) {
    return std::any_of(component_kinds.begin(), component_kinds.end(),
                       [&](ComponentKind kind) { return name == folder_of(kind); });
  }
  static void link(const fs::path& what, const fs::path& into) {
    fs::create_symlink(what, into / what.filename());
  }

  fs::path templates_, out_;
};

}  // namespace

Result<base::TempDir> make_snippet_folder(const fs::path& templates,
                                          const catalogue::Catalogue& catalogue,
                                          const std::vector<image::VariantKey>& variants,
                                          const std::vector<Snippet>& snippets) {
  PHASEBIT_TRY_ASSIGN(targets, isa::TargetTable::load());
  PHASEBIT_TRY_ASSIGN(out, base::TempDir::create());
  try {
    Folder folder(templates, out.path());
    folder.link_templates();
    std::map<std::string, ComponentKind> made;
    for (const image::VariantKey& key : variants)
      for (const ComponentKind kind : component_kinds) {
        const std::string name = space::snippet_component(key, kind);
        const catalogue::Component* parent =
            catalogue.find(kind, key.value(std::string(catalogue::to_string(kind))));
        if (parent == nullptr || parent->name == name || !made.emplace(name, kind).second) continue;
        PHASEBIT_TRY(folder.add(
            kind, name, component_text(*parent, kind, snippets, targets.families()), snippets));
      }
  } catch (const fs::filesystem_error& error) {
    return fail(Step::io, "cannot lay snippets beside the templates: {}", error.what());
  }
  return std::move(out);
}

}  // namespace phasebit::fork
