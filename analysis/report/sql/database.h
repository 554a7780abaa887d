// The questions' side of results: the tables of schema.h, made once of some files and kept in the
// cache under what these contain.
#pragma once

#include "analysis/report/data/report_data.h"
#include "analysis/report/sql/text.h"
#include "core/base/file.h"
#include "core/results/load.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

namespace phasebit::report::sql {

using Progress = std::function<void(size_t done, size_t all)>;

class ReportDatabase {
 public:
  // Of stores and files of results. `cache` may be empty, or a folder that cannot be written: then
  // nothing is kept. Errors as results::load_results.
  static Result<ReportDatabase> open(const std::vector<fs::path>& results, const fs::path& cache,
                                     const results::KeyCheck& keys = {},
                                     const Progress& progress = {});
  // Of results in memory.
  static Result<ReportDatabase> of(results::Results results);

  SQLite::Database& sqlite() { return *sqlite_; }
  const std::vector<results::DeviceRow>& devices() const { return devices_; }

  // The set of GPUs that `device` names, a UUID or a part of a name ("" where the results are of
  // one), of runs of a kind ("" for all); 0 where there is no such run. Step::usage names the
  // devices there are.
  Result<std::int64_t> gpus(const std::string& device, const std::string& runs = {});
  // What `device` is by default: of published results the last model by name; of a table of
  // all GPUs one of them, which the others are compared with.
  std::string default_device(bool published, bool any_gpu) const;

  // One set of GPUs as values, for what is not a query.
  Result<data::ReportData> report_data(std::int64_t g);

 private:
  explicit ReportDatabase(std::unique_ptr<SQLite::Database> sqlite)
      : sqlite_(std::move(sqlite)), first_(std::make_unique<FirstValues>()) {}
  void read_facts();

  std::unique_ptr<SQLite::Database> sqlite_;
  std::vector<results::DeviceRow> devices_;
  std::unique_ptr<FirstValues> first_;  // functions of the connection point to it
};

}  // namespace phasebit::report::sql
