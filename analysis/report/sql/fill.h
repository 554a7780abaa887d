// Results into the tables of schema.h.
#pragma once

#include "core/results/record.h"

#include <functional>

#include <SQLiteCpp/SQLiteCpp.h>

namespace phasebit::report::sql {

// Into an empty database; the caller holds the transaction. Throws SQLite::Exception. `progress`:
// sets of GPUs done, of all.
Status fill(SQLite::Database& sqlite, results::Results results,
            const std::function<void(size_t done, size_t all)>& progress = {});

// Axes whose runs are also looked at alone (GPU set `runs`): a name, and the axes that say so.
struct RunKind {
  const char* name;
  std::vector<std::string> axes;  // "snippet.*" is any that begins so
};
const std::vector<RunKind>& run_kinds();

}  // namespace phasebit::report::sql
