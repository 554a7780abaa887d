// Results as JSON lines: what is committed. Lossless; the order is fixed, so that the same results
// always give the same bytes. docs/decisions/results-format.md says why it is as it is.
//
// Line 1 is the header: the version, the columns of the lines that are lists, how many lines of
// each kind follow, and where the raw samples are. Then, kind after kind, a line each; numbers
// refer to lines of an earlier kind, from 0:
//   catalogue  {"axes":{...},"protocols":{...}}: core/image/facts.h
//   devices    {"type":"device","uuid":...}
//   runs       {"type":"run","id":...}: command, commit, ptxas, driver
//   defaults   {"probe":"ring",...}: every axis of some components, in the order of the key
//   variants   [0,{"wait":"test_wait"}]: the axes that are not at that default; id and hash behind
//              them where they are not made from these
//   codes      ["text_hash","sass_class"]
//   modules    "hash"
//   images     [code,module,"ptx_hash"]
//   series     {"kind":"point","unit":...,"device":0,"run":0,"readings":[["polls","polls per
//   item"]]} points [series,variant,image,repetition,control,sm,first_warp,megahertz,[flags],error,
//              figures]: null without an error or figures
//   same_code [series,variant,sm,first_warp,megahertz,[flags],[repetitions],[[variant,image],...]]:
//              rows that have the code of the variant named first, a line a class
//   samples    {"point":0,"items":[8,16,24,32],"cycles":[[...],...],"readings":[[[...]]]}: behind
//              the others, or in gzip files of their own beside the file. Of rounds behind the
//              first, the differences from it: [[196,292],[8,-1]] are [[196,292],[204,291]]
#pragma once

#include "core/base/file.h"
#include "core/record/record.h"

#include <functional>
#include <string>
#include <string_view>

namespace phasebit::store::json {

inline constexpr int json_lines_version = 4;

// Devices by UUID, runs by their start and id, points by run and, within it, as they are, those
// that have another's code behind the others; variants in the order of the points.
record::Results in_file_order(record::Results results);
// The same but for the order within a run: what results of files have already.
record::Results sorted_by_run(record::Results results);

// With the samples. Bytes that are not UTF-8 are replaced.
std::string to_json_lines(const record::Results& results);

// NAME.jsonl and, beside it, NAME.samples-0.jsonl.gz and so on, each below a megabyte. Where the
// text is larger it goes to NAME.jsonl, NAME-2.jsonl and so on, which stand alone and say in their
// headers which part they are ("part":[2,3]); rows that refer to each other are in one of them
// (parts.h), and one such family that is larger than a file stays whole. Files of an earlier
// writing go; a NAME-2.jsonl that is something else is an error (Step::store), and nothing is
// written.
inline constexpr size_t most_file_bytes = 1000000;
Status write_json_lines(const fs::path& path, const record::Results& results,
                        size_t most_bytes = most_file_bytes);

// Step::store with file:line: no JSON, a newer version, a wrong value, a reference to what is not
// there, fewer or more lines than the header counts. Sample files are looked for in `folder`;
// without `wanted`, or where it holds of the rows, samples are read, and a missing file is an
// error.
using SampleWish = std::function<bool(const record::Results& rows)>;
inline bool no_samples(const record::Results&) {
  return false;
}
Result<record::Results> from_json_lines(std::string_view text, const std::string& name,
                                        const fs::path& folder = {}, const SampleWish& wanted = {});

}  // namespace phasebit::store::json
