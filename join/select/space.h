// Which variants a command is about: a spec, a sweep, overrides, a filter, snippets, forks.
#pragma once

#include "core/base/home.h"
#include "gen/kernel/tuned.h"
#include "gen/space/catalogue.h"
#include "gen/space/variants.h"

#include <memory>
#include <string>
#include <vector>

namespace phasebit::join::select {

struct SpaceRequest {
  base::Home home;
  std::string templates;  // empty: those of the data
  std::string spec;       // empty: specs/core.toml of the data
  std::string sweep;      // empty: `core` of specs/core.toml; of another spec the only one it has
  std::vector<std::string> overrides;  // -a axis=values, those of compilers too
  std::vector<std::string> ids;        // --id: these variants instead of the sweep, or hashes of it
  std::string variants;                // --variants: a file of the same, one a line
  std::vector<std::string> toolchains;  // --toolchain: short for -a ptxas=
  std::vector<std::string> snippets;    // verb=FILE, in addition to those of the sweep
  std::string filter;                   // keep variants whose id has this in it
  int limit = 0;                        // keep so many, spread evenly; 0: all
  bool tuned_only = false;              // forks and their parents instead of the sweep
  std::vector<std::string> files;       // FILE.ptx in place of the sweep
  std::string kernel;                   // of files: a part of the entry's name; "" for all
};

struct Space {
  fs::path templates;          // with snippets a folder of its own, the user's with theirs added
  space::Catalogue catalogue;  // of these templates
  // With snippets, each variant that takes them is followed by itself with them in it; then each
  // is there once for each choice of ptxas.
  space::Expansion expansion;
  std::vector<kernel::Rendered> files;  // kernels that are read and not rendered: forks, FILE.ptx
  std::string target = {};  // that it is prepared for; "" for any: matters to forms alone
  std::shared_ptr<const base::TempDir> snippet_folder = {};  // holds `templates`
  std::string sweep = {};  // whose variants these are; "" where they were named one by one
};

fs::path templates_folder(const SpaceRequest& request);
Result<space::Catalogue> load_catalogue(const SpaceRequest& request);

}  // namespace phasebit::join::select
