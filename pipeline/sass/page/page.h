// Variants, or kernels of code files, side by side as one HTML file.
#pragma once

#include "analysis/listing/page.h"
#include "core/base/home.h"
#include "core/record/record.h"
#include "pipeline/images/tools.h"
#include "pipeline/select/space.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace phasebit::pipeline::sass::page {

// What a page is asked for.

struct PageRequest {
  select::SpaceRequest space;
  images::ToolOptions tools;
  std::vector<std::string> files;       // code files in the place of variants; PTX is variants
  std::string kernel;                   // of files: a symbol, a C++ name, or a part; "" for all
  std::string source;                   // of files: "inner" (also ""), "outer" or a source file
  std::vector<std::string> targets;     // empty or "all": every one that ptxas knows, or files have
  std::string reference;                // a column; "" for the first that has code
  std::vector<std::string> toolchains;  // versions of ptxas to set side by side too
  std::string history = "sm_90";        // on this target; both of variants alone
  std::string out = "sass.html";
};

// The column of that name; none for "". Step::usage with the nearest name.
Result<std::optional<std::size_t>> page_reference(const std::string& word,
                                                  const std::vector<std::string>& columns);

// Writes it, and says what it holds. What a page of files has no room for is a note on standard
// error and on the page.
Result<std::string> sass_page(const PageRequest& request);

// Published figures beside the cells of a page.

// The figures of the project's results of some variants.
class PublishedFigures {
 public:
  // With none published there are none. Errors as load_results.
  static Result<PublishedFigures> load(const base::Home& home, const std::set<std::string>& ids);

  // The newest of that variant, measured as code for that target which is the code of `side`: that
  // of another target or other code is none.
  std::optional<listing::PageFigure> find(const std::string& id, const std::string& target,
                                          const compare::DiffSide& side) const;

 private:
  struct Measured {
    std::string started, text_hash, sass_class;
    listing::PageFigure figure;
  };
  void add(const record::Results& results, const std::set<std::string>& ids);

  std::map<std::pair<std::string, std::string>, std::vector<Measured>> by_id_and_target_;
};

// The page of kernels of files.

// A page holds so many instructions, codes of one row that are equal counted once: its file is then
// below 20 MB.
inline constexpr std::size_t most_page_instructions = 200'000;

// A row for each kernel, by its demangled name; a column for each file, target, or both. Kernels
// for which there is no room any more are named in Page::left_out. Step::usage for what is said of
// variants, for a --reference that is no column, and where not even the first kernel has room.
Result<listing::Page> page_of_files(const PageRequest& request);

}  // namespace phasebit::pipeline::sass::page
