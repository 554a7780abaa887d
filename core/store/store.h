// The result store: SQLite through SQLiteCpp, one transaction per row, schema version in the file.
#pragma once

#include "core/base/file.h"
#include "core/record/record.h"
#include "core/store/schema.h"

#include <memory>
#include <string>
#include <vector>

namespace phasebit::store {

class Store {
 public:
  // Creates the file when it is missing. Step::store for a file that is none of ours, a truncated
  // file, a schema of another version, a full disk, a file locked by another process.
  static Result<Store> open(const fs::path& path, const StoreOptions& options = {});
  static Result<Store> open_in_memory();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  Status add_device(
      const record::DeviceRow& device);       // once; later calls with the same UUID change nothing
  Status add_run(const record::RunRow& run);  // likewise, by its id
  // Likewise, by its id; Step::store when it is there with another key.
  Status add_variant(const record::VariantRow& variant);
  // What is there already stays.
  Status add_catalogue(const image::CatalogueFacts& facts);
  // One transaction: when it returns, the row survives a kill. Its device and run were added
  // before.
  Status add_point(const record::PointRow& point);
  // Adds what is not there yet, in one transaction. A point is the same when it is the nth of its
  // run with its key and image; Step::store, and nothing is added, when the same point or run
  // has another content here, or the same device another name.
  Result<record::MergeCounts> merge(const record::Results& results);

  Result<std::vector<record::DeviceRow>> devices() const;
  Result<std::vector<record::RunRow>> runs() const;
  // In the order they were added.
  Result<std::vector<record::PointRow>> points() const;
  // Those that have a key, in the order they were added.
  Result<std::vector<record::VariantRow>> variants() const;
  // All of them, and the catalogue.
  Result<record::Results> results() const;

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace phasebit::store
