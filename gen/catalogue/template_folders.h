// Where the partials of a combination of components are looked for.
#pragma once

#include "core/base/file.h"
#include "gen/catalogue/catalogue.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::catalogue {

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
  // behind that one.
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

}  // namespace phasebit::catalogue
