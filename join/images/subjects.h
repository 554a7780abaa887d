// Kernels on their way from an image to a subject: what was assembled here, and code files.
#pragma once

#include "analysis/foreign/module.h"
#include "analysis/gate/expectations.h"
#include "join/images/images.h"

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace phasebit::join::images {

// A kernel that a command is about, before its code is read.
struct SubjectPlace {
  std::size_t row = 0, column = 0;
  Result<foreign::CodeKernel> code = fail(Step::disassemble, "not opened");  // or why there is none
  const Prepared* variant = nullptr;  // what it was assembled of, by `in`; null: of a file
  CodeColumn in = {};
  launch::Resources resources = {};  // of a variant
};

struct VariantPlaces {
  std::deque<foreign::CodeImage> modules;  // stay where they are: places point into them
  std::vector<SubjectPlace> places;        // row: of the variants; by column, then by variant
};

// Assembles with `.loc` (the code is the same, and each instruction leads to its line), through the
// cache. A kernel without a head has the lines of its own `.loc`, or of its file where that has
// no `.loc`. With `keep_bytes` the images have their bytes: for live registers, spill marks and
// PTX.
VariantPlaces open_variants(Tools& tools, const std::vector<Prepared>& prepared,
                            const std::vector<CodeColumn>& columns, bool keep_bytes = false);

// What its variant says of a subject: name, windows, spills, launch shape; nothing of a file's.
Status complete(Tools& tools, const SubjectPlace& place, reading::CodeSubject& subject);

// As foreign::visit_code_kernels; subjects are complete.
void read_places(Tools& tools, const disassembly::Disassembler& disassembler,
                 const std::vector<SubjectPlace>& places, const foreign::ReadOptions& options,
                 const foreign::VisitSubject& visit);

// Takes the image of columns[column] and prepared[variant], or why there is none. Called once for
// each pair, from several threads.
using VisitImage = std::function<void(std::size_t column, std::size_t variant,
                                      Result<reading::CodeSubject> subject)>;

// Both of the above, without loops.
void analyse_images(Tools& tools, const disassembly::Disassembler& disassembler,
                    const std::vector<Prepared>& prepared, const std::vector<CodeColumn>& columns,
                    const VisitImage& visit);

// Subjects as the rules of a file see them (`phasebit sass gate`, `--rules`).

struct GatePlace {
  SubjectPlace place;
  gate::GateSubject subject;  // with what it is called alone
};

// The variants of the places, in their order.
Result<std::vector<GatePlace>> gate_places(Tools& tools, const std::vector<SubjectPlace>& places);

// Reads those that a rule speaks of, with what they call; of the others no more than their names is
// known. Live registers are those of the kernels of which a rule limits them. One that cannot be
// read says why. Code of an image without the file of the view has no lines.
std::vector<gate::GateSubject> read_gate_subjects(Tools& tools,
                                                  const disassembly::Disassembler& disassembler,
                                                  std::vector<GatePlace> places,
                                                  const std::vector<gate::Expectation>& rules,
                                                  const cubin::source::SourceView& view = {});

}  // namespace phasebit::join::images
