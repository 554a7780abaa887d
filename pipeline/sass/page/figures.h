// Published figures beside the cells of a page.
#pragma once

#include "analysis/listing/page.h"
#include "core/base/home.h"
#include "core/record/record.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace phasebit::pipeline::sass::page {

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

}  // namespace phasebit::pipeline::sass::page
