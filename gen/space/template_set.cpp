#include "gen/space/template_set.h"

#include "core/base/text.h"
#include "gen/space/catalogue.h"

#include <algorithm>
#include <set>

namespace phasebit::space {

using base::trimmed;
using launch::SourceLine;

namespace {

struct Joiner {
  fs::path templates;
  TemplateFolders folders;
  Language language;
  JoinedTemplate out;
  std::vector<std::string> open;  // files being joined, outermost first
  std::set<std::string> joined;

  tl::unexpected<Error> no_partial(const std::string& name, const SourceLine& at) const;
  Result<std::optional<fs::path>> find(const std::string& name, const std::string& behind) const;
  struct Spelling {
    std::string folder;               // of the file that is read
    std::vector<std::string> inside;  // words being spelled, outermost first
  };
  Result<std::string> expand(const std::string& text, const std::string& place, Spelling& at);
  Status add_partial(const std::string& name, const SourceLine& at);
  Status add_file(const fs::path& file, const std::string& verb);
  std::vector<SourceLine> not_asked_for() const;
  Status add_line(const std::string& line, const SourceLine& at);
};

// A section opens and closes in one file, or a message could not say where it is missing its end.
class OpenSections {
 public:
  Status take(const std::string& line, const SourceLine& at);
  Status end(const SourceLine& at) const;

 private:
  struct Section {
    std::string name;
    int line;
  };
  std::vector<Section> open_;
};

Status OpenSections::take(const std::string& line, const SourceLine& at) {
  for (const Tag& tag : tags_of(line)) {
    const std::string& name = tag.name;
    if (tag.kind != '#' && tag.kind != '^' && tag.kind != '/') continue;
    if (tag.kind != '/') {
      open_.push_back({name, at.line});
    } else if (open_.empty()) {
      return fail(Step::render, "{}: nothing for '/{}' to close", at.place(), name);
    } else if (open_.back().name != name) {
      return fail(Step::render, "{}: '/{}' where section '{}' of line {} is open", at.place(), name,
                  open_.back().name, open_.back().line);
    } else {
      open_.pop_back();
    }
  }
  return {};
}

Status OpenSections::end(const SourceLine& at) const {
  if (open_.empty()) return {};
  SourceLine opened = at;
  opened.line = open_.back().line;
  return fail(Step::render, "{}: section '{}' is never closed", opened.place(), open_.back().name);
}

// "templates/protocols/mbarrier/protocol.toml:12", as SourceLine::place() names a template.
std::string place_of(const fs::path& templates, const Word& word) {
  const std::string root = templates.string() + "/";
  return word.where.starts_with(root) ? "templates/" + word.where.substr(root.size()) : word.where;
}

// A template that is a link is a user's own file, and is named as that.
std::optional<SourceLine> foreign_source(const fs::path& file) {
  std::error_code not_a_link;
  const fs::path target = fs::read_symlink(file, not_a_link);
  if (not_a_link) return {};
  const fs::path here = target.lexically_relative(fs::current_path());
  const bool is_below = !here.empty() && *here.begin() != "..";
  return SourceLine{(is_below ? here : target).string(), 0, {}, {}, false};
}

std::vector<std::string> partial_names(const fs::path& folder, Language language) {
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing))
    if (entry.path().extension() == suffix_of(language))
      names.push_back(entry.path().stem().string());
  return names;
}

tl::unexpected<Error> Joiner::no_partial(const std::string& name, const SourceLine& at) const {
  const std::vector<std::string> names = folders.names();
  std::vector<std::string> known;
  for (const std::string& folder : names)
    for (std::string& partial : partial_names(templates / folder, language))
      known.push_back(partial);
  std::sort(known.begin(), known.end());
  return with_hint(fail(Step::render, "{}: no partial '{}' in {}", at.place(), name,
                        fmt::join(names.begin(), names.end(), ", ")),
                   base::nearest_word_hint(name, known));
}

// `text` with its words replaced, and what they hold; its other names are noted as used at `place`.
Result<std::string> Joiner::expand(const std::string& text, const std::string& place,
                                   Spelling& at) {
  constexpr char marks[] = {mark_begin, mark_middle, mark_end, use_mark};
  if (text.find_first_of(marks, 0, sizeof marks) != std::string::npos)
    return fail(Step::render, "{}: a control character", place);
  std::string expanded;
  size_t begin = 0;
  for (const Tag& tag : tags_of(text)) {
    expanded += text.substr(begin, tag.begin - begin);
    begin = tag.end;
    const Word* word = tag.kind == ' ' ? folders.word(tag.name, at.folder) : nullptr;
    if (word == nullptr) {
      expanded += tag.kind == ' '
                      ? fmt::format("{{{{{}{}{}}}}}", tag.name, use_mark, out.uses.size())
                      : text.substr(tag.begin, tag.end - tag.begin);
      out.uses.push_back({tag.name, place});
      continue;
    }
    if (std::find(at.inside.begin(), at.inside.end(), word->name) != at.inside.end())
      return fail(Step::render, "{}: word '{}' stands for itself through {}", place, word->name,
                  fmt::join(at.inside, " -> "));
    at.inside.push_back(word->name);
    PHASEBIT_TRY_ASSIGN(spelled, expand(word->text, place_of(templates, *word), at));
    at.inside.pop_back();
    expanded += spelled;
  }
  return expanded + text.substr(begin);
}

Status Joiner::add_line(const std::string& line, const SourceLine& at) {
  const std::string content(trimmed(line));
  const std::vector<Tag> tags = tags_of(content);
  const bool alone = tags.size() == 1 && tags[0].begin == 0 && tags[0].end == content.size();
  if (alone && tags[0].kind == '>') {
    return add_partial(tags[0].name, at);
  }
  if (content.find("{{>") != std::string::npos)
    return fail(Step::render, "{}: write a partial on a line of its own", at.place());
  const bool marked = !(alone && std::string_view("#^/!").find(tags[0].kind) != std::string::npos);
  if (marked) {
    out.text +=
        fmt::format("{}{}{}{{{{role}}}}{}", mark_begin, out.marks.size(), mark_middle, mark_end);
    out.marks.push_back(at);
  }
  Spelling spelling{fs::path(open.back()).parent_path().string(), {}};
  PHASEBIT_TRY_ASSIGN(expanded, expand(content, at.place(), spelling));
  out.text += expanded + "\n";
  out.lines.push_back(at);
  return {};
}

Status Joiner::add_file(const fs::path& file, const std::string& outer_verb) {
  const std::string name = file.generic_string();
  SourceLine at = foreign_source(templates / file).value_or(SourceLine{name, 0, {}, {}});
  if (std::find(open.begin(), open.end(), name) != open.end())
    return fail(Step::render, "{}{}: includes itself through {}",
                at.of_templates ? "templates/" : "", at.file, fmt::join(open, " -> "));
  auto text = base::read_file(templates / file);
  if (!text) return fail(Step::render, "{}", text.error().message);
  const auto& verbs = verb_names();
  const std::string stem = file.stem().string();
  const bool is_verb = std::find(verbs.begin(), verbs.end(), stem) != verbs.end();
  open.push_back(name);
  joined.insert(name);
  at.verb = is_verb ? stem : outer_verb;
  OpenSections sections;
  for (size_t begin = 0; begin < text->size();) {
    const size_t end = std::min(text->find('\n', begin), text->size());
    ++at.line;
    const std::string line = text->substr(begin, end - begin);
    PHASEBIT_TRY(sections.take(line, at));
    PHASEBIT_TRY(add_line(line, at));
    begin = end + 1;
  }
  open.pop_back();
  return sections.end(at);
}

// What IR a verb has is next to its PTX: that of a component which this one uses would be
// another verb's.
Result<std::optional<fs::path>> Joiner::find(const std::string& name,
                                             const std::string& behind) const {
  auto ptx = folders.find(templates, name, behind);
  if (language == Language::ptx) return ptx;
  auto file = folders.find(templates, name, behind, language);
  if (ptx && (!file || file->parent_path() != ptx->parent_path()))
    return with_hint(fail(Step::render, "templates/{}: no LLVM IR of it", ptx->generic_string()),
                     fmt::format("write {}.ll next to it, or leave `-a llvm` out", name));
  return file;
}

// A file that asks for its own name wraps that of the component which its own one uses.
Status Joiner::add_partial(const std::string& name, const SourceLine& at) {
  PHASEBIT_TRY_ASSIGN(file, find(name, {}));
  const fs::path asker = open.back();
  if (file == asker) {
    PHASEBIT_TRY_ASSIGN(wrapped, find(name, asker.parent_path().string()));
    if (wrapped) file = std::move(wrapped);
  }
  if (file) return add_file(*file, at.verb);
  if (is_component_verb(name)) return {};
  return no_partial(name, at);
}

std::vector<SourceLine> Joiner::not_asked_for() const {
  std::vector<SourceLine> all;
  for (const std::string& folder : folders.names())
    for (const std::string& verb : partial_names(templates / folder, Language::ptx)) {
      const fs::path file = fs::path(folder) / (verb + ".ptx");
      const auto source = foreign_source(templates / file);
      if (!source || joined.contains(file.generic_string())) continue;
      all.push_back(*source);
      all.back().verb = verb;
    }
  return all;
}

}  // namespace

std::vector<Tag> tags_of(const std::string& line) {
  std::vector<Tag> tags;
  for (size_t begin = line.find("{{"); begin != std::string::npos;) {
    const size_t close = line.find("}}", begin);
    if (close == std::string::npos) break;
    Tag tag;
    tag.begin = begin;
    tag.end = close + 2;
    tag.name = trimmed(line.substr(begin + 2, close - begin - 2));
    if (!tag.name.empty() && std::string_view("#^/>!&").find(tag.name[0]) != std::string::npos) {
      tag.kind = tag.name[0];
      tag.name = trimmed(tag.name.substr(1));
    }
    tags.push_back(std::move(tag));
    begin = line.find("{{", tags.back().end);
  }
  return tags;
}

const std::vector<std::string>& verb_names() {
  static const std::vector<std::string> names = {
      "init",       "prime",       "acquire",    "try_acquire", "commit",         "wait",
      "try_wait",   "release",     "tail",       "leave",       "quit",           "fill",
      "drain",      "use_words",   "checksum",   "work",        "advance",        "advance_lap",
      "verify",     "clock_start", "clock_end",  "form",        "other_half",     "until_read",
      "work_setup", "work_done",   "work_end",   "work_result", "give_registers", "take_registers",
      "take_turn",  "hand_on",     "first_turn", "last_turn",   "epilogue",       "draw_tile",
      "look_up"};
  return names;
}

Result<JoinedTemplate> join_templates(const Catalogue& catalogue, const fs::path& templates,
                                      const Combination& combination, Language language) {
  PHASEBIT_TRY_ASSIGN(folders, TemplateFolders::of(catalogue, combination));
  const fs::path own = fs::path(folders.names().front()) / "kernel.ptx";
  Joiner joiner{templates, std::move(folders), language, {}, {}, {}};
  PHASEBIT_TRY_ASSIGN(nearest, joiner.find("kernel", {}));
  PHASEBIT_TRY(joiner.add_file(nearest.value_or(own), ""));
  joiner.out.not_asked_for = joiner.not_asked_for();
  for (const Word* word : joiner.folders.words()) {
    joiner.out.words.push_back(*word);
    joiner.out.words.back().where = place_of(templates, *word);
  }
  return std::move(joiner.out);
}

namespace {

std::string folder_of(ComponentKind kind, const std::string& name) {
  return fmt::format("{}/{}", folder_of(kind), name);
}

// Its words are what components may replace, so its files have no own words.
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

}  // namespace phasebit::space
