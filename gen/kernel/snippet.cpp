#include "gen/kernel/snippet.h"

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/isa/read_rule.h"
#include "core/isa/targets.h"
#include "gen/space/catalogue.h"
#include "gen/space/hand_made.h"
#include "gen/space/template_set.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

namespace phasebit::kernel {

using base::trimmed;
using launch::VariantKey;
using space::component_kinds;
using space::ComponentKind;
using space::folder_of;

namespace {

// The prefix of the axes that name snippets in a key.

// The declarations in the comments that a snippet begins with.
class Declarations {
 public:
  explicit Declarations(Snippet& snippet) : snippet_(snippet) {}

  Status read() {
    std::string_view rest = snippet_.text;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = trimmed(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      ++line_;
      if (!line.empty() && !line.starts_with("//")) break;
      if (!line.empty()) PHASEBIT_TRY(take(trimmed(line.substr(2))));
    }
    snippet_.gate.verb = snippet_.verb;
    if (!snippet_.gate.require.empty() || !snippet_.gate.forbid.empty()) return {};
    return with_hint(fail(Step::spec, "{}: declares no opcodes", snippet_.path.string()),
                     "begin it with a line `// expect: PATTERN = COUNT` or `// forbid: PATTERN`");
  }

 private:
  tl::unexpected<Error> complain(std::string_view what) const {
    return fail(Step::spec, "{}:{}: {}", snippet_.path.string(), line_, what);
  }

  // Other comments are for people; one that looks like a declaration must be one.
  Status take(std::string_view comment) {
    const size_t colon = comment.find(':');
    if (colon == std::string_view::npos) return {};
    const std::string word(comment.substr(0, colon));
    const std::string_view value = trimmed(comment.substr(colon + 1));
    const auto is_rule = isa::read_rule_line(word, value, snippet_.gate);
    if (!is_rule) return with_hint(complain(is_rule.error().message), is_rule.error().hint);
    if (*is_rule) return {};
    if (word == "needs") return needs(value);
    if (word == "protocol") return snippet_.protocol = value, Status{};
    std::vector<std::string> words = isa::rule_words();
    words.insert(words.end(), {"needs", "protocol"});
    const std::string hint = base::nearest_word_hint(word, words);
    if (word.find(' ') == std::string::npos && hint.starts_with("did you mean"))
      return with_hint(complain(fmt::format("no declaration '{}'", word)), hint);
    return {};
  }

  Status needs(std::string_view value) {
    const size_t blank = value.find(' ');
    const std::string_view target = blank == std::string_view::npos ? "" : value.substr(blank + 1);
    const auto version = isa::parse_version(value.substr(0, blank));
    const auto parsed = isa::parse_target(target);
    if (!version || !parsed)
      return with_hint(complain(fmt::format("'{}' is not VERSION TARGET", value)),
                       "as in // needs: 8.0 sm_90, or sm_90a where that alone has the forms");
    snippet_.ptx = *version;
    snippet_.target = *parsed;
    return {};
  }

  Snippet& snippet_;
  int line_ = 0;
};

std::vector<std::string> all_verbs() {
  std::vector<std::string> all;
  for (const space::ComponentKind kind : space::component_kinds)
    for (const std::string& verb : space::component_verbs(kind)) all.push_back(verb);
  return all;
}

}  // namespace

std::string Snippet::label() const {
  constexpr size_t digits = 8;
  return fmt::format("{}@{}", path.stem().string(), base::content_hash(text).substr(0, digits));
}

Result<Snippet> read_snippet(std::string_view assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals + 1 == assignment.size())
    return with_hint(fail(Step::usage, "--snippet {}: not VERB=FILE", assignment),
                     "as in --snippet wait=my_wait.ptx");
  return read_snippet(std::string(assignment.substr(0, equals)),
                      fs::path(assignment.substr(equals + 1)));
}

Result<Snippet> read_snippet(const std::string& verb, const fs::path& path) {
  if (!space::kind_of_verb(verb))
    return with_hint(fail(Step::usage, "--snippet {}={}: no verb '{}'", verb, path.string(), verb),
                     base::nearest_word_hint(verb, all_verbs()));
  Snippet snippet;
  snippet.verb = verb;
  snippet.path = path;
  PHASEBIT_TRY_ASSIGN(text, base::read_file(path));
  snippet.text = std::move(text);
  PHASEBIT_TRY(Declarations(snippet).read());
  return snippet;
}

VariantKey snippet_key(const VariantKey& variant, const std::vector<Snippet>& snippets) {
  VariantKey key = variant;
  for (const Snippet& snippet : snippets) {
    key.axes.emplace_back(fmt::format("{}{}", space::snippet_axis, snippet.verb), snippet.label());
    key.id += fmt::format("/{}={}", key.axes.back().first, key.axes.back().second);
  }
  key.hash = base::short_hash(key.id);
  return key;
}

namespace {

using nlohmann::json;

// JSON's texts, lists and numbers are TOML's too.
std::string toml_of(const auto& value) {
  return json(value).dump();
}

// [[gate]] of the verb; counts of one path in one table.
std::string gate_text(const isa::VerbRule& rule) {
  std::string text = fmt::format("[[gate]]\nverb = {}\n", toml_of(rule.verb));
  for (const isa::Path path : isa::all_paths) {
    std::string counts;
    for (const isa::OpcodeRule& one : rule.require)
      if (one.path == path)
        counts += fmt::format("{}{} = \"{}..{}\"", counts.empty() ? " " : ", ",
                              toml_of(one.pattern), one.count.low, one.count.high);
    if (!counts.empty()) text += fmt::format("{} = {{{} }}\n", isa::to_string(path), counts);
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
std::string component_text(const space::Component& parent, ComponentKind kind,
                           const std::vector<Snippet>& snippets,
                           const std::vector<std::string>& families) {
  std::vector<std::string> verbs;
  std::string tables;
  for (const Snippet& snippet : snippets) {
    if (space::kind_of_verb(snippet.verb) != kind) continue;
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
    PHASEBIT_TRY(base::write_file(folder / fmt::format("{}.toml", space::to_string(kind)), text));
    // By a link, so that messages name the user's own file.
    for (const Snippet& snippet : snippets)
      if (space::kind_of_verb(snippet.verb) == kind)
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
                                          const space::Catalogue& catalogue,
                                          const std::vector<launch::VariantKey>& variants,
                                          const std::vector<Snippet>& snippets) {
  PHASEBIT_TRY_ASSIGN(targets, isa::TargetTable::load());
  PHASEBIT_TRY_ASSIGN(out, base::TempDir::create());
  try {
    Folder folder(templates, out.path());
    folder.link_templates();
    std::map<std::string, ComponentKind> made;
    for (const launch::VariantKey& key : variants)
      for (const ComponentKind kind : component_kinds) {
        const std::string name = space::snippet_component(key, kind);
        const space::Component* parent =
            catalogue.find(kind, key.value(std::string(space::to_string(kind))));
        if (parent == nullptr || parent->name == name || !made.emplace(name, kind).second) continue;
        PHASEBIT_TRY(folder.add(
            kind, name, component_text(*parent, kind, snippets, targets.families()), snippets));
      }
  } catch (const fs::filesystem_error& error) {
    return fail(Step::io, "cannot add snippets to the templates: {}", error.what());
  }
  return std::move(out);
}

}  // namespace phasebit::kernel
