// Kernels as a file of PTX, and back. What phasebit writes has a head above each entry and a
// heading wherever statements of another role, verb or template begin, so that the text alone says
// what each statement belongs to. What it reads may come from anywhere.
#pragma once

#include "core/ptx/file.h"
#include "gen/kernel/render.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::kernel {

// With the template's line after its file, or without: a fork's base must not change when a
// template's lines move.
enum class HeadingLines { shown, left_out };

// Statements, comments and head of one rendered kernel. The head has no axis at its default.
std::string kernel_file(const space::Catalogue& catalogue, const Rendered& rendered,
                        HeadingLines lines = HeadingLines::shown);

// One kernel for each entry with a body, in their order. With a head it is one of ours: its head
// has been checked against its text. If the module has nothing but such entries, the kernel is the
// statements of its entry, as they were rendered; else it is the whole file as it is, and
// statement n its line n. Verbs are those of headings; where the file has no headings, the
// functions that its own `.loc` says a statement was inlined from; without a head its own `.loc`
// stay what ptxas is told. Step::assemble, spec or render with file and
// line.
Result<std::vector<Rendered>> read_kernels(std::string_view text, const std::string& file);

// The one kernel of a file of ours. Step::render when it has no kernel with a head, or several.
Result<Rendered> read_kernel(std::string_view text, const std::string& file);

}  // namespace phasebit::kernel
