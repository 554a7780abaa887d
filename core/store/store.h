// The result store: SQLite through SQLiteCpp, one transaction per row, schema version in the file.
#pragma once

#include "core/base/file.h"
#include "core/store/record.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace phasebit {

inline constexpr int store_schema_version = 1;

// What identifies a finished point when a sweep is resumed.
struct PointKey {
  PointKind kind = PointKind::point;
  std::string variant_hash, text_hash, device_uuid;
  int repetition = 0;
  bool aa_control = false;
  Placement placement;
};

class Store {
 public:
  // Creates the file when it is missing. Step::store for a truncated file, a newer schema, a full
  // disk.
  static Result<Store> open(const fs::path& path);
  static Result<Store> open_in_memory();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  Status add_device(
      const DeviceRow& device);  // once; later calls with the same UUID change nothing
  Status add_run(const RunRow& run);
  // One transaction: when it returns, the row survives a kill.
  Status add_point(const PointRow& point);

  // Whether a point with these keys was measured without an error, in any run.
  Result<bool> has_point(const PointKey& key) const;
  Result<std::vector<DeviceRow>> devices() const;
  Result<std::vector<RunRow>> runs() const;
  // In the order they were added.
  Result<std::vector<PointRow>> points() const;

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace phasebit
