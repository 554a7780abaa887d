// Variants, or kernels of code files, side by side as one HTML file.
#pragma once

#include "analysis/listing/page.h"
#include "core/base/home.h"
#include "core/results/record.h"
#include "join/sass/subjects.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace phasebit::join::sass::page {

// What a page is asked for.

struct PageRequest : SubjectRequest {  // toolchains: of variants a second matrix
  std::string reference;               // a column; "" for the first that has code
  std::string history = "sm_90";       // the target of that matrix
  std::string out = "sass.html";
};

// The column of that name; none for "". Step::usage with the nearest name.
Result<std::optional<std::size_t>> page_reference(const std::string& word,
                                                  const std::vector<std::string>& columns);

// Writes it, and says what it holds. What a page of files has no room for is a note on standard
// error and on the page.
Result<std::string> sass_page(const PageRequest& request);

// Published figures next to the cells of a page.

// The figures of the project's results of some variants.
class PublishedFigures {
 public:
  // With none published there are none. Errors as load_results.
  static Result<PublishedFigures> load(const base::Home& home, const std::set<std::string>& ids);

  // The newest of that variant, measured as code for that target which is the code of `side`: that
  // of another target or other code is none.
  std::optional<listing::PageFigure> find(const std::string& id, const std::string& target,
                                          const reading::CodeSubject& side) const;

 private:
  struct Measured {
    std::string started, text_hash, sass_class;
    listing::PageFigure figure;
  };
  void add(const results::Results& results, const std::set<std::string>& ids);

  std::map<std::pair<std::string, std::string>, std::vector<Measured>> by_id_and_target_;
};

// The page itself.

// A page holds so many instructions of files, codes of one row that are equal counted once: its
// file is then below 20 MB.
inline constexpr std::size_t most_page_instructions = 200'000;

// A row for each variant, or for each kernel of files by its demangled name; a column for each
// architecture, or for each file, target, or both. Kernels of files for which there is no room any
// more are named in Page::left_out. Step::usage for a --reference that is not a column, and where
// not even the first kernel has room. `grid` has to outlive it.
Result<listing::Page> make_page(const PageRequest& request, images::Tools& tools,
                                SubjectGrid& grid);

}  // namespace phasebit::join::sass::page
