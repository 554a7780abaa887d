#include "tests/analysis/sass/class_pairs.h"

#include "analysis/compare/summary.h"
#include "analysis/disassembly/disassembler.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace phasebit::test {

using compare::Change;
using compare::to_string;
using cubin::CubinKernel;
using disassembly::Disassembler;

namespace {

// Wherever it is.
std::string changed(const Pair& pair) {
  std::string text = pair.text;
  for (std::size_t at = text.find(pair.from); at != std::string::npos;
       at = text.find(pair.from, at + pair.to.size()))
    text.replace(at, pair.from.size(), pair.to);
  return text;
}

// `sass diff` says what matrix, classes and history say.
void expect_one_answer(const Disassembler& disassembler, const CubinKernel& a, const CubinKernel& b,
                       int sm, Change wanted, const char* what) {
  const reading::CodeSubject left = side_of(disassembler, a, sm),
                             right = side_of(disassembler, b, sm);
  EXPECT_EQ(to_string(compare::diff_kernels(left, right)->change), to_string(wanted)) << what;
  EXPECT_EQ(to_string(compare::change_between(compare::summarise(left), compare::summarise(right))),
            to_string(wanted))
      << what;
}

}  // namespace

Result<CubinKernel> kernel_of(const std::string& text, const std::string& target,
                              const Flags& flags) {
  PHASEBIT_TRY_ASSIGN(bytes, assemble_text(text, target, flags));
  PHASEBIT_TRY_ASSIGN(cubin, cubin::read_cubin(bytes));
  for (const char* name : {"k", "name_of_its_own"})
    if (const CubinKernel* found = cubin.find(name)) return *found;
  return fail(Step::assemble, "no kernel");
}

reading::CodeSubject side_of(const Disassembler& disassembler, const CubinKernel& kernel, int sm) {
  return {"side",
          sm,
          disassembly::join_kernel(kernel, disassembler.listing(sm, kernel)).value(),
          {},
          {}};
}

void expect_pair(const Pair& pair) {
  const std::string first = std::string(pair.what) == "the callee's name"
                                ? replaced(pair.text, "call (b), adder", "call (b), helper")
                                : pair.text;
  const auto a = kernel_of(first, pair.target, pair.flags);
  const auto b = kernel_of(changed(pair), pair.target, pair.flags);
  ASSERT_TRUE(a) << pair.what << ": " << a.error().text();
  ASSERT_TRUE(b) << pair.what << ": " << b.error().text();
  EXPECT_EQ(a->text, b->text) << pair.what << ": no pair, its instructions differ";
  EXPECT_EQ(a->code.hash == b->code.hash, pair.differs.empty()) << pair.what;
  const auto lines = cubin::differences_outside_text(a->code, b->code);
  for (const std::string& line : lines)
    EXPECT_TRUE(std::any_of(pair.differs.begin(), pair.differs.end(),
                            [&](const std::string& name) { return line.starts_with(name); }))
        << pair.what << ": " << line;
  for (const std::string& name : pair.differs)
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(),
                            [&](const std::string& line) { return line.starts_with(name); }))
        << pair.what << ": nothing is said of " << name;
  expect_one_answer(cached_disassembler(), *a, *b, std::stoi(pair.target.substr(3)),
                    pair.differs.empty() ? Change::identical : Change::data, pair.what);
}

}  // namespace phasebit::test
