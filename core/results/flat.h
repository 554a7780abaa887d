// Results as files for everyone: CSV with a header line, packed with zstd where the name ends in
// .zst. A row is a point; it holds its variant, code, device and run in full, so that a file needs
// no other and rows of several files can be put together. docs/results-format.md describes the
// columns, docs/decisions/results-format.md why the form is as it is.
//
// After the columns of flat_columns.h come
//   axis.NAME       one for each axis that some variant has; NULL for a variant without it
//   named           the axes that are not at their default, in the order of the id, each with that
//                   default: "wait=try_wait num_stages=4". An axis that no component declares has
//                   no default: "ptxas". Blanks, % and = in a word are %20, %25 and %3D
//   axis_order      the axes with a default, where their order is not that of the columns
//   waits_on, blank core/launch/facts.h: ProtocolLabels
// and the columns that this program does not know: PointRow::extra.
//
// Columns are found by their names. A column that is not there, or is NULL, is not known of its
// row; PointRow::lacks names those of which this program would know something.
//
// The samples of NAME.csv.zst are in NAME.samples.csv.zst, a row a launch: point (the column
// `point` of the row), items, cycles, reading_1, reading_2. A round begins where items falls.
#pragma once

#include "core/base/file.h"
#include "core/results/record.h"

#include <functional>
#include <string>
#include <string_view>

namespace phasebit::results {

// Whether the samples of these rows are read; not set: yes.
using SampleWish = std::function<bool(const Results& rows)>;
inline bool no_samples(const Results&) {
  return false;
}

// Whether the name is that of a file of results: not of their samples.
bool is_results_file(const fs::path& path);

// In the order of a file: see in_file_order(). Without samples. The same rows give the same bytes.
std::string to_csv(const Results& results);

// NAME.csv.zst or NAME.csv with the rows, and the samples next to it, if there are any. Step::store
// when there are none and an earlier file has some: nothing is written. Another name gets the rows
// alone, as CSV.
Status write_flat(const fs::path& path, const Results& results);

// `content` of the file at `path`. Step::store with file, row (the first after the header is 1) and
// column: a value that is not of its column's type or range, a row with too few or too many fields,
// a column twice or a required one missing, a number of a point twice, rows of one variant, device
// or run that contradict each other, a figure outside of its interval, samples that are missing or
// give other figures, a row of the same code without the row with its figures or of another class,
// one code with two classes, one point with two figures. Step::io for damaged
// zstd data.
Result<Results> read_flat(const fs::path& path, std::string_view content,
                          const SampleWish& wanted = {});

// What the rows say of axes and protocols: an axis's default is the one that most variants have.
launch::CatalogueFacts facts_of(const Results& results);

// Devices by UUID, runs by their start and id, points by run, id, device and repetition, so that
// neighbours have most columns in common; variants in the order of the points.
Results in_file_order(Results results);
// The same but for the order within a run: what results of files have already.
Results sorted_by_run(Results results);

}  // namespace phasebit::results
