// What nvdisasm printed of raw code once, in the cache by the content of the code.
#pragma once

#include "analysis/disassembly/nvdisasm_json.h"
#include "core/base/cache.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::disassembly {

class ListingCache {
 public:
  // Listings of another version of nvdisasm are never found.
  ListingCache(base::Cache cache, std::string nvdisasm_version)
      : cache_(std::move(cache)), version_(std::move(nvdisasm_version)) {}

  // The listings of codes on that SM, without names, on so many threads; nothing where there is
  // none.
  std::vector<std::optional<DisassembledFunction>> find(int sm,
                                                        const std::vector<std::string_view>& codes,
                                                        unsigned threads = 1) const;

  // Keeps the listing of each code that has one.
  using Listings = std::vector<Result<DisassembledFunction>>;
  Status add(int sm, const std::vector<std::string_view>& codes, const Listings& listings) const;

 private:
  std::string kind_of(int sm) const;
  base::Cache cache_;
  std::string version_;
};

}  // namespace phasebit::disassembly
