// Parts of a document that are made from results:
//   <!-- phasebit:core mover=none -->
//   ... a table, in Markdown ...
//   <!-- /phasebit -->
// and, within a line, <!-- phasebit:figure variant=ID field=cycles -->12.3<!-- /phasebit -->. A
// name is that of a table (analysis/report/tables.h), `figure`, `range of=TABLE`: the sentence that
// says from where to where the figures of this table go, or `claim`:
//   <!-- phasebit:claim NAME NAME -->
//   ... their sentences, one paragraph ...
//   <!-- /phasebit -->
// `results=FILE`, next to the document, makes a table of these results instead of the document's.
// `legend=off` leaves out a table's first note, where the text around it says the same. `first=N`
// shows so many rows, `hide=TITLE,TITLE` leaves out columns (page_table.h). Fenced code is left
// alone.
#pragma once

#include "analysis/report/claims/checked_claims.h"
#include "analysis/report/tables.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::report {

// Tables that are made of more than results: the caller that has the rest brings them.
using TableMaker =
    std::function<Result<base::Table>(const TableSource&, const data::TableArguments&)>;
struct MoreTables {
  std::map<std::string, TableMaker> by_block = {};
  // Told which block stays as it is, where what it is made by is not installed (Step::toolchain).
  std::function<void(const std::string& what)> note = {};
};

// The text with all blocks made anew. `name` is the document's, for errors: Step::spec with
// file:line: what cannot be made, or a block that is not closed or not opened.
Result<std::string> update_blocks(std::string_view text, const std::string& name,
                                  const TableSource& source,
                                  const claims::ClaimSentences& claims = {},
                                  const MoreTables& more = {});

struct BlockDifference {
  int line = 0;                 // of the opening marker, 1-based
  std::string block;            // "core mover=none"
  std::string expected, found;  // the first lines that differ
};

// The blocks that update_blocks would change.
Result<std::vector<BlockDifference>> differing_blocks(std::string_view text,
                                                      const std::string& name,
                                                      const TableSource& source,
                                                      const claims::ClaimSentences& claims = {},
                                                      const MoreTables& more = {});

// Whether a document has a block of a claim.
bool names_claims(std::string_view text);

}  // namespace phasebit::report
