// A kernel as a module of PTX for people, and back: with comments, indentation, and a heading
// wherever statements of another role, verb or template begin, so that the text alone says what
// each statement belongs to. The listings under ptx/ and the forks under ptx/tuned/ are such texts.
#pragma once

#include "core/image/variant_key.h"
#include "gen/render.h"

#include <string>
#include <string_view>

namespace phasebit {

// A heading is a line "// [producer acquire] protocols/mbarrier/spin.ptx": role and verb, or one of
// them, or "-" for neither. Statements belong to the last heading above them.
std::string readable_module(const VariantKey& variant, const Rendered& rendered);

// Reads one back: comments and statements as rendered, with version, target, entry and build's
// hash. Each line's source has the role, verb and template of its heading, and its line in this
// text. Step::render with `file`:line: a directive that is not of a kernel of ours, a verb that
// does not exist, a block comment, no kernel or two.
Result<Rendered> read_readable(std::string_view text, const std::string& file, Build build);

}  // namespace phasebit
