// What another store has and this one has not.
#pragma once

#include "core/store/store.h"

#include <SQLiteCpp/SQLiteCpp.h>

namespace phasebit {

// Inserts it; see Store::merge. The caller holds the transaction and ends it. Throws
// SQLite::Exception.
Result<MergeCounts> merge_results(SQLite::Database& sqlite, const Results& theirs);

// The same without a store. Step::store when the same point, run or variant has another content.
Status merge_results(Results& ours, Results theirs);

}  // namespace phasebit
