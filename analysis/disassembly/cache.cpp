#include "analysis/disassembly/cache.h"

#include "analysis/cubin/instruction.h"
#include "core/base/hash.h"
#include "core/base/parallel.h"

#include <algorithm>

namespace phasebit::disassembly {

using base::content_hash;

namespace {

// Takes the next piece of a text up to a mark, which is left out; false when there is no mark.
bool take(std::string_view& text, char mark, std::string& piece) {
  const std::size_t end = text.find(mark);
  if (end == std::string_view::npos) return false;
  piece = text.substr(0, end);
  text.remove_prefix(end + 1);
  return true;
}

// An instruction a line.
std::string as_text(const DisassembledFunction& function) {
  std::string text;
  for (const DisassembledInstruction& one : function.instructions)
    for (const auto& [part, mark] : {std::pair(&one.predicate, '\t'), std::pair(&one.opcode, '\t'),
                                     std::pair(&one.operands, '\n')}) {
      text += *part;
      text += mark;
    }
  return text;
}

// A listing in which these marks are inside a part cannot be kept.
bool can_be_kept(const DisassembledFunction& function) {
  constexpr const char* marks = "\t\n";
  return std::none_of(function.instructions.begin(), function.instructions.end(),
                      [&](const DisassembledInstruction& one) {
                        return (one.predicate + one.opcode + one.operands).find_first_of(marks) !=
                               std::string::npos;
                      });
}

std::optional<DisassembledFunction> from_text(std::string_view text, std::size_t code_bytes) {
  const std::size_t count = code_bytes / cubin::instruction_bytes;
  DisassembledFunction function{{}, 0, code_bytes, {}};
  function.instructions.reserve(count);
  for (DisassembledInstruction one; take(text, '\t', one.predicate) &&
                                    take(text, '\t', one.opcode) && take(text, '\n', one.operands);)
    function.instructions.push_back(one);
  if (function.instructions.size() != count) return std::nullopt;
  return function;
}

}  // namespace

// Another number makes all older listings unknown.
std::string ListingCache::kind_of(int sm) const {
  return fmt::format("listing 4 nvdisasm {} sm_{}", version_, sm);
}

std::vector<std::optional<DisassembledFunction>> ListingCache::find(
    int sm, const std::vector<std::string_view>& codes, unsigned threads) const {
  std::vector<std::string> keys;
  for (const std::string_view code : codes) keys.push_back(content_hash(code));
  const auto texts = cache_.find(kind_of(sm), keys);
  std::vector<std::optional<DisassembledFunction>> found(codes.size());
  base::parallel_for(codes.size(), threads, [&](std::size_t n) {
    if (texts[n]) found[n] = from_text(*texts[n], codes[n].size());
  });
  return found;
}

Status ListingCache::add(int sm, const std::vector<std::string_view>& codes,
                         const Listings& listings) const {
  base::Cache::Entries entries;
  for (std::size_t n = 0; n < codes.size(); ++n) {
    const Result<DisassembledFunction>& one = listings[n];
    if (one && one->start == 0 && one->length == codes[n].size() && can_be_kept(*one))
      entries.emplace_back(content_hash(codes[n]), as_text(*one));
  }
  return cache_.add(kind_of(sm), entries);
}

}  // namespace phasebit::disassembly
