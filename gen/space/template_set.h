// The templates of one combination of probe, protocol, mover and work, joined into one Mustache
// text.
#pragma once

#include "core/base/file.h"
#include "core/launch/source_map.h"
#include "gen/space/catalogue.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::space {

// Where the partials of a combination of components are looked for.

struct Combination {
  std::string probe, protocol, mover, work;
};

// What the text of a template is in: PTX, or LLVM IR that becomes PTX.
enum class Language { ptx, ir };
// ".ptx", ".ll"
const char* suffix_of(Language language);

// "protocols": where the components of a kind are, relative to the templates.
std::string folder_of(ComponentKind kind);

class TemplateFolders {
 public:
  // Step::render for a component that the catalogue does not have.
  static Result<TemplateFolders> of(const Catalogue& catalogue, const Combination& combination);

  // Relative to the templates, in the order of the search: the folder of the probe, the protocol,
  // the mover and the work, each followed by those of the components that it `uses`, then common.
  std::vector<std::string> names() const;
  // The file of a partial or a verb, relative to `templates`; nothing when no folder has it. A verb
  // that its component does not list is not looked for there. With `behind` only in the folders
  // after that one.
  std::optional<fs::path> find(const fs::path& templates, const std::string& name,
                               const std::string& behind = {},
                               Language language = Language::ptx) const;
  // The word that this name stands for in a file of `folder`: that of the folder's component, else
  // of the first component that has it; null for none.
  const Word* word(std::string_view name, const std::string& folder) const;
  std::vector<const Word*> words() const;

 private:
  struct Folder {
    std::string name;
    ComponentKind kind = ComponentKind::probe;
    const Component* component = nullptr;
  };
  std::vector<Folder> folders_;
};

// Partials are joined before Mustache sees the text (a partial is a standalone line, `{{> name}}`,
// and keeps no indentation, so the result is the same). So the text is parsed once for every
// variant of a combination, and every line can carry a mark that survives rendering and leads back
// to its file and line.
struct JoinedTemplate {
  // A name that the text asks for, and the line of the template or of the word that does.
  struct Use {
    std::string name, place;
  };
  std::string text;  // Mustache; lines of PTX begin with a mark, names of values end with their use
  std::vector<Use> uses;
  std::vector<Word> words;  // that the text may use, with places relative to the templates
  std::vector<launch::SourceLine> marks;  // role is filled in by rendering
  std::vector<launch::SourceLine> lines;  // of every line of `text`, for Mustache's own errors
  // Files of a user's own (snippets) that nothing asks for, each with its verb.
  std::vector<launch::SourceLine> not_asked_for;
};

// mark_begin, index, mark_middle, role, mark_end
inline constexpr char mark_begin = '\x01', mark_middle = '\x02', mark_end = '\x03';
// After a name whose value is wanted, and before its index in `uses`.
inline constexpr char use_mark = '\x04';

// A Mustache tag as it is in a line: {{#name}} has kind '#'; a plain {{name}} has kind ' '.
struct Tag {
  char kind = ' ';  // ' ', '#', '^', '/', '>', '!', '&'
  std::string name;
  size_t begin = 0, end = 0;  // of the tag in the line
};

// The tags of a line in order.
std::vector<Tag> tags_of(const std::string& line);

// A word is replaced by what it stands for; a verb that no component lists is nothing. In LLVM IR
// every file of PTX that is asked for has one next to it: Step::render where it is missing.
// Step::render: a file that is missing, a partial that no folder of the combination has (with the
// nearest name), partials or words that include each other.
Result<JoinedTemplate> join_templates(const Catalogue& catalogue, const fs::path& templates,
                                      const Combination& combination,
                                      Language language = Language::ptx);

// The names that count as verbs: what a statement is attributed to is the innermost file of these.
const std::vector<std::string>& verb_names();

}  // namespace phasebit::space
