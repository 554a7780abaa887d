#include "analysis/foreign/called.h"

#include "analysis/flow/calls.h"

#include <algorithm>

namespace phasebit::foreign {

using cubin::source::SourceView;
using disassembly::Disassembler;

namespace {

using Place = std::pair<const CodeImage*, std::string_view>;  // image and symbol

// The functions of other sections that some code calls, by name; "" stands for none of the image.
struct Call {
  const cubin::CubinKernel* callee = nullptr;  // null: not in the image
  std::string text;                            // "CALL.ABS.NOINC f"
};

std::vector<Call> calls_of(const cubin::SassKernel& kernel, const CodeImage& image) {
  std::vector<Call> calls;
  const std::size_t used = flow::used_instructions(kernel);
  for (std::size_t i = 0; i < used; ++i) {
    const cubin::Instruction& one = kernel.instructions[i];
    if (!flow::calls_function(one)) continue;
    const std::string_view name = flow::callee_of(one);
    if (name == kernel.entry || flow::find_function(kernel, name) != nullptr) continue;
    calls.push_back({image.cubin.find(name), one.opcode + " " + std::string(name)});
  }
  return calls;
}

class Program {
 public:
  Program(const Disassembler& disassembler, const SourceView& view)
      : disassembler_(disassembler), view_(view) {}

  Result<ReadProgram> read(const std::vector<CodeKernel>& kernels) {
    std::vector<CodeKernel> wanted = kernels;
    while (!wanted.empty()) {
      PHASEBIT_TRY(add(wanted));
      wanted = missing();
    }
    for (std::size_t i = 0; i < kernels.size(); ++i) result_.kernels.push_back(reached_from(i));
    return std::move(result_);
  }

 private:
  Status add(const std::vector<CodeKernel>& wanted) {
    PHASEBIT_TRY_ASSIGN(read, read_code_kernels(disassembler_, wanted, view_));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      places_.emplace(Place(wanted[i].image, wanted[i].kernel->entry), result_.code.size());
      calls_.push_back(calls_of(read[i].kernel, *wanted[i].image));
      result_.of.push_back(wanted[i]);
      result_.code.push_back(std::move(read[i]));
    }
    return {};
  }

  // Called, and not read yet.
  std::vector<CodeKernel> missing() const {
    std::vector<CodeKernel> missing;
    for (std::size_t i = 0; i < calls_.size(); ++i)
      for (const Call& call : calls_[i]) {
        const CodeImage* image = result_.of[i].image;
        if (call.callee == nullptr || places_.count({image, call.callee->entry}) > 0) continue;
        const bool known = std::any_of(missing.begin(), missing.end(), [&](const CodeKernel& one) {
          return one.kernel == call.callee;
        });
        if (!known) missing.push_back({image, call.callee});
      }
    return missing;
  }

  CalledKernel reached_from(std::size_t start) const {
    CalledKernel reached{{start}, {}};
    for (std::size_t next = 0; next < reached.code.size(); ++next) {
      const std::size_t here = reached.code[next];
      for (const Call& call : calls_[here]) {
        if (call.callee == nullptr) {
          ++reached.open_calls[call.text];
          continue;
        }
        const std::size_t place = places_.at({result_.of[here].image, call.callee->entry});
        if (std::count(reached.code.begin(), reached.code.end(), place) == 0)
          reached.code.push_back(place);
      }
    }
    return reached;
  }

  const Disassembler& disassembler_;
  const SourceView& view_;
  ReadProgram result_;
  std::map<Place, std::size_t> places_;
  std::vector<std::vector<Call>> calls_;  // by place in the code
};

}  // namespace

Result<ReadProgram> read_with_callees(const Disassembler& disassembler,
                                      const std::vector<CodeKernel>& kernels,
                                      const SourceView& view) {
  return Program(disassembler, view).read(kernels);
}

}  // namespace phasebit::foreign
