// What ids of files of version 1 and 2 mean, which left defaults out.
#pragma once

#include "core/base/file.h"
#include "core/record/record.h"

#include <map>
#include <string>
#include <string_view>

namespace phasebit::store {

class OldKeys {
 public:
  // core/store/old_keys.toml. Step::store with file:line for what is wrong in it.
  static Result<OldKeys> load();
  static Result<OldKeys> parse(std::string_view text, const std::string& name);

  // "ring/mbarrier/st_shared/none/wait=test_wait" and "anchor/fma_32". A component that the file
  // does not know has no axes but those that the id names. All in the words of that time.
  record::VariantRow key_of(const std::string& id, const std::string& hash,
                            record::KeyPool& pool) const;

  const image::CatalogueFacts& catalogue() const { return catalogue_; }

 private:
  image::KeyAxes axes_of_component(const std::string& kind, const std::string& name) const;

  std::map<std::pair<std::string, std::string>, image::KeyAxes> components_;  // by kind and name
  image::CatalogueFacts catalogue_;
};

// Gives every variant that has none its key, with the facts of the catalogue of that time, and all
// the words of today (core/image/renamed), in ids too.
Status import_keys(record::Results& results);
void import_keys(record::Results& results, const OldKeys& old);

}  // namespace phasebit::store
